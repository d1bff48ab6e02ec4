/** The gateway's URL as the client knows it: by any name, and perhaps through a proxy. */

interface Headers {
  header(name: string): string | undefined
}

/** A name or an address, with an optional port. If every host is allowed, a client can send any text. */
const HOST = /^[\w.:[\]-]{1,255}$/

/** Without a path. */
export function ownUrl(request: Headers): string {
  const scheme = request.header('x-forwarded-proto') === 'https' ? 'https' : 'http'
  const host = request.header('host') ?? ''
  return `${scheme}://${HOST.test(host) ? host : 'localhost'}`
}
