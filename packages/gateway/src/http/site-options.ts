/** Settings of the gateway's port, and what is wrong with them when it cannot listen. */
import { ParleyError } from 'parley-mcp'
import type { Clock } from 'parley-mcp/engine'
import { isLoopback, type ServeSiteOptions } from 'parley-mcp/node'
import { landingPage } from './landing-page.ts'
import { pageMounts } from './pages.ts'
import type { Readiness } from './readiness.ts'

export interface GatewaySiteOptions {
  readonly host: string
  /** 0 for any that is free. */
  readonly port: number
  /** Beside those of this machine, where nobody else reaches it. A list with `any` or `*` in it allows all. */
  readonly allowedHosts?: readonly string[] | undefined
  readonly allowedOrigins?: readonly string[] | undefined
  /** Names by which `/metrics` is read, beside addresses and `allowedHosts`. A list with `any` in it allows all. */
  readonly metricsHosts?: readonly string[] | undefined
  /** The header in which a proxy in front tells who the client is. */
  readonly principalHeader?: string | undefined
  /** How long a session of a client over HTTP may be unused, in milliseconds. Default: as the SDK has it. */
  readonly sessionIdle?: number | undefined
  /** Longest message of a client, in bytes. Default: as the SDK has it. */
  readonly maxRequestSize?: number | undefined
  /** What `/readyz` says. */
  readonly readiness: () => Readiness
  /** What `/metrics` says, in the text format of Prometheus. */
  readonly metricsText: () => string
  /** The words that start this program on this machine; shown only where nobody else reaches the page. */
  readonly program?: readonly string[] | undefined
  /** The page at `/` for someone who came by that address. Default: the servers, as `readiness` tells of them. */
  readonly landing?: ((url: string) => string) | undefined
  /** Told of what went wrong in the gateway itself, of which clients learn nothing. Default: the console. */
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
      message: `On ${host} the gateway can be reached from elsewhere: list the names it is reached by as gateway.allowedHosts in the configuration, such as ["mcp.example.com"] (["any"] allows every name), or listen on 127.0.0.1`,
    })
  }
  const program = isLoopback(host) && allowedHosts === undefined ? options.program : undefined
  const landing = options.landing ?? ((url: string) => landingPage(url, readiness().servers, program))
  return {
    host,
    port,
    ...(allowedHosts === undefined ? {} : { allowedHosts: anyOf([...allowedHosts, ...ownNames(host)]) }),
    ...(allowedOrigins === undefined ? {} : { allowedOrigins: anyOf(allowedOrigins), cors: true }),
    // A proxy that says nothing of who it is has let somebody in whom nobody knows.
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

/** C-41: no page can make its own name look like these, so that whoever lists others need not give them up. */
function ownNames(host: string): readonly string[] {
  return isLoopback(host) ? [...LOOPBACK_NAMES, host] : []
}

function anyOf(list: readonly string[]): readonly string[] | 'any' {
  return list.includes('any') || list.includes('*') ? 'any' : list
}

/** By the code of the system: what it means, and the way out. */
const REASONS: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (host, port) =>
    `port ${port} of ${host} is in use by another program, perhaps another gateway: end that one, or choose another port with --port or gateway.port in the configuration (0 takes any that is free)`,
  EACCES: (_, port) =>
    `this user may not listen on port ${port}: choose one above 1023 with --port or gateway.port in the configuration`,
  EADDRNOTAVAIL: (host) =>
    `${host} is not an address of this machine: choose one that is with --host or gateway.host in the configuration`,
  ENOTFOUND: (host) =>
    `the name ${host} is not known here: choose another with --host or gateway.host in the configuration`,
}

/** An error of listening in words of the gateway; others as they are. */
export function listenError(error: unknown, host: string, port: number): unknown {
  const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException
  const reason = code === undefined || !Object.hasOwn(REASONS, code) ? undefined : REASONS[code]
  if (reason === undefined) return error
  return new ParleyError('transport_error', {
    message: `The gateway cannot listen: ${reason(host, port)}`,
    cause: error,
  })
}
