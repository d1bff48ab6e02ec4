/** Checks the host and origin of requests. Protects against web pages that use DNS rebinding (C-41). */

export interface GuardOptions {
  /**
   * The allowed values of the `Host` header. An entry without a port allows any port. Default: the loopback names and
   * addresses. `'any'` allows all, for servers behind a proxy that checks them.
   */
  allowedHosts?: readonly string[] | 'any'
  /** Origins of web pages that may call this server, such as `https://app.example`. Its own pages may. `'any'`: all. */
  allowedOrigins?: readonly string[] | 'any'
}

export const loopbackHosts: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)
}

const PORT = /:\d+$/

/** No domain name looks like this, so all loopback addresses are as safe as 127.0.0.1. */
const LOOPBACK_ADDRESS = /^127(\.(25[0-5]|2[0-4]\d|1?\d?\d)){3}$/

export class Guard {
  readonly #hosts: ReadonlySet<string> | undefined
  /** No hosts were listed, so all loopback addresses are allowed. */
  readonly #byDefault: boolean
  readonly #origins: ReadonlySet<string> | undefined
  /** The last allowed host. Most requests have the same one. */
  #lastHost: string | undefined

  constructor(options: GuardOptions = {}) {
    const { allowedHosts = loopbackHosts, allowedOrigins = [] } = options
    this.#byDefault = options.allowedHosts === undefined
    this.#hosts = allowedHosts === 'any' ? undefined : new Set(allowedHosts.map((host) => host.toLowerCase()))
    this.#origins = allowedOrigins === 'any' ? undefined : new Set(allowedOrigins.map(normalOrigin))
  }

  /** Why a request with these headers is refused. `undefined` if it is allowed. */
  objection(host: string | undefined, origin: string | undefined): string | undefined {
    if (!this.#admitsHost(host))
      return `Host ${shown(host)} is not allowed; add it to allowedHosts if this server is meant to be reached by it`
    if (origin !== undefined && !this.#admitsOrigin(origin, host)) {
      return `Origin ${shown(origin)} is not allowed; add it to allowedOrigins if its pages are meant to call this server`
    }
    return undefined
  }

  /** Whether the origin was listed, so that CORS headers are sent. Pages of this server need none. */
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

  /** A page of this server has the server's host as origin. The host was checked before. */
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
