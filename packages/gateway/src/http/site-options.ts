/** Settings of the gateway's port, and errors that explain why it cannot listen. */
import { ParleyError } from 'parley-mcp'
import type { Clock } from 'parley-mcp/engine'
import { isLoopback, type ServeSiteOptions } from 'parley-mcp/node'
import { landingPage } from './landing-page.ts'
import { pageMounts } from './pages.ts'
import type { Readiness } from './readiness.ts'

export interface GatewaySiteOptions {
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  /** Allowed host names. On a loopback host, the names of this machine are always allowed. `any` or `*` allows all. */
  readonly allowedHosts?: readonly string[] | undefined
  readonly allowedOrigins?: readonly string[] | undefined
  /** Host names for `/metrics`. IP addresses and `allowedHosts` are always allowed. `any` allows all. */
  readonly metricsHosts?: readonly string[] | undefined
  /** The header in which a proxy names the principal. */
  readonly principalHeader?: string | undefined
  /** How long a session over HTTP may be unused, in milliseconds. Default: that of the SDK. */
  readonly sessionIdle?: number | undefined
  /** Longest message of a client, in bytes. Default: that of the SDK. */
  readonly maxRequestSize?: number | undefined
  /** The content of `/readyz`. */
  readonly readiness: () => Readiness
  /** The content of `/metrics`, in the text format of Prometheus. */
  readonly metricsText: () => string
  /** The words that start this program here. The page shows them only if no other machine reaches it. */
  readonly program?: readonly string[] | undefined
  /** Makes the page at `/`. `url`: the address that the browser used. Default: the servers of `readiness`. */
  readonly landing?: ((url: string) => string) | undefined
  /** Called with internal errors, which clients do not see. Default: the console. */
  readonly log?: ((message: string, error: unknown) => void) | undefined
  readonly clock?: Clock | undefined
}

export function siteOptions(options: GatewaySiteOptions): ServeSiteOptions {
  const {
    host,
    port,
    allowedHosts,
    allowedOrigins,
    principalHeader,
    sessionIdle,
    maxRequestSize,
    readiness,
    metricsText,
    log,
    clock,
  } = options
  if (allowedHosts === undefined && !isLoopback(host)) {
    throw new ParleyError('validation_failed', {
      message: `Other machines can reach the gateway on ${host}: list its host names as gateway.allowedHosts in the configuration, such as ["mcp.example.com"] (["any"] allows every name), or listen on 127.0.0.1`,
    })
  }
  const program = isLoopback(host) && allowedHosts === undefined ? options.program : undefined
  const landing = options.landing ?? ((url: string) => landingPage(url, readiness().servers, program))
  return {
    host,
    port,
    ...(allowedHosts === undefined ? {} : { allowedHosts: anyOf([...allowedHosts, ...ownNames(host)]) }),
    ...(allowedOrigins === undefined ? {} : { allowedOrigins: anyOf(allowedOrigins), cors: true }),
    // Without the header, or with an empty one, the client has no principal.
    ...(principalHeader === undefined
      ? {}
      : { principal: ({ header }) => header(principalHeader)?.trim() || undefined }),
    ...(sessionIdle === undefined ? {} : { idleTimeout: sessionIdle }),
    ...(maxRequestSize === undefined ? {} : { session: { limits: { maxBytes: maxRequestSize } } }),
    ...(log === undefined ? {} : { onError: (error: unknown) => log('Serving a request failed', error) }),
    ...(clock === undefined ? {} : { clock }),
    mounts: pageMounts({ readiness, metricsText, landing, metricsHosts: anyOf(options.metricsHosts ?? []) }),
  }
}

const LOOPBACK_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** C-41: no web page can take these names, so they stay allowed beside the listed names. */
function ownNames(host: string): readonly string[] {
  return isLoopback(host) ? [...LOOPBACK_NAMES, host] : []
}

function anyOf(list: readonly string[]): readonly string[] | 'any' {
  return list.includes('any') || list.includes('*') ? 'any' : list
}

/** By the error code of the system: the cause, and how to fix it. */
const REASONS: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (host, port) =>
    `port ${port} of ${host} is in use by another program, perhaps another gateway: end that program, or choose another port with --port or gateway.port in the configuration (0 takes any free port)`,
  EACCES: (_, port) =>
    `this user may not listen on port ${port}: choose one above 1023 with --port or gateway.port in the configuration`,
  EADDRNOTAVAIL: (host) =>
    `${host} is not an address of this machine: choose one of its addresses with --host or gateway.host in the configuration`,
  ENOTFOUND: (host) =>
    `this machine cannot resolve the name ${host}: choose another with --host or gateway.host in the configuration`,
}

/** Explains an error of listening. Returns other errors unchanged. */
export function listenError(error: unknown, host: string, port: number): unknown {
  const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException
  const reason = code === undefined || !Object.hasOwn(REASONS, code) ? undefined : REASONS[code]
  if (reason === undefined) return error
  return new ParleyError('transport_error', {
    message: `The gateway cannot listen: ${reason(host, port)}`,
    cause: error,
  })
}
