/**
 * The address by which somebody has come, who may know the gateway by a name and through a proxy of which it knows
 * nothing.
 */

interface Headers {
  header(name: string): string | undefined
}

/** A name or an address, and perhaps a port; where any host is let in, others are made up. */
const HOST = /^[\w.:[\]-]{1,255}$/

/** Without a path. */
export function addressOf(asked: Headers): string {
  const scheme = asked.header('x-forwarded-proto') === 'https' ? 'https' : 'http'
  const host = asked.header('host') ?? ''
  return `${scheme}://${HOST.test(host) ? host : 'localhost'}`
}
