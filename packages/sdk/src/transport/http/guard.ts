/**
 * Which hosts and origins may talk to an HTTP server: the defence against pages that rebind their name to a local
 * address (C-41).
 */

export interface GuardOptions {
  /**
   * Names this server is reached by, as in the `Host` header; an entry without a port fits any port. Default: the
   * loopback names and addresses. `'any'` checks nothing, for servers behind a proxy that does.
   */
  allowedHosts?: readonly string[] | 'any'
  /**
   * Origins of web pages that may call this server, beside pages it serves itself: `https://app.example`. `'any'`
   * allows all.
   */
  allowedOrigins?: readonly string[] | 'any'
}

export const loopbackHosts: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)
}

const PORT = /:\d+$/

/** No page can make its own name look like this, so that any of them is as good as 127.0.0.1. */
const LOOPBACK_ADDRESS = /^127(\.(25[0-5]|2[0-4]\d|1?\d?\d)){3}$/

export class Guard {
  readonly #hosts: ReadonlySet<string> | undefined
  /** Nothing was listed: a server may be bound to any loopback address. */
  readonly #byDefault: boolean
  readonly #origins: ReadonlySet<string> | undefined
  /** The last host that was let through: nearly every request has the same one. */
  #lastHost: string | undefined

  constructor(options: GuardOptions = {}) {
    const { allowedHosts = loopbackHosts, allowedOrigins = [] } = options
    this.#byDefault = options.allowedHosts === undefined
    this.#hosts = allowedHosts === 'any' ? undefined : new Set(allowedHosts.map((host) => host.toLowerCase()))
    this.#origins = allowedOrigins === 'any' ? undefined : new Set(allowedOrigins.map(normalOrigin))
  }

  /** Why a request with these headers is refused; `undefined` when it is not. */
  objection(host: string | undefined, origin: string | undefined): string | undefined {
    if (!this.#admitsHost(host))
      return `Host ${shown(host)} is not allowed; add it to allowedHosts if this server is meant to be reached by it`
    if (origin !== undefined && !this.#admitsOrigin(origin, host)) {
      return `Origin ${shown(origin)} is not allowed; add it to allowedOrigins if its pages are meant to call this server`
    }
    return undefined
  }

  /** True for origins that were listed, which are told so by CORS; a page of this very server needs no telling. */
  lists(origin: string): boolean {
    return this.#origins === undefined || this.#origins.has(origin.toLowerCase())
  }

  #admitsHost(host: string | undefined): boolean {
    if (this.#hosts === undefined) return true
    if (host === undefined || host === '') return false
    if (host === this.#lastHost) return true
    const name = host.toLowerCase()
    const bare = name.replace(PORT, '')
    const admitted = this.#hosts.has(name) || this.#hosts.has(bare) || (this.#byDefault && LOOPBACK_ADDRESS.test(bare))
    if (admitted) this.#lastHost = host
    return admitted
  }

  /** A page this server delivered itself has its own host as origin; the host was checked before. */
  #admitsOrigin(origin: string, host: string | undefined): boolean {
    if (this.lists(origin)) return true
    const own = host?.toLowerCase()
    const asked = origin.toLowerCase()
    return own !== undefined && this.#hosts !== undefined && (asked === `http://${own}` || asked === `https://${own}`)
  }
}

function normalOrigin(origin: string): string {
  return origin.toLowerCase().replace(/\/$/, '')
}

function shown(value: string | undefined): string {
  return value === undefined ? '(none)' : JSON.stringify(value.slice(0, 100))
}
