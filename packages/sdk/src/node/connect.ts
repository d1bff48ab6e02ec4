/** `connect` for Node. Also accepts commands and TCP addresses. */
import {
  type Client,
  type ConnectOptions,
  cannotConnectTo,
  connect as connectAnywhere,
  httpOptions,
  isDirectTarget,
  isRemote,
  type LinkOpener,
  type LinkOpenings,
  type LinkSettings,
  openerFor,
  type RemoteTarget,
  type Target,
  type ToolsOf,
  webSocketOptions,
} from '../client/index.ts'
import { ParleyError } from '../errors/index.ts'
import type { Link } from '../jsonrpc/index.ts'
import type { Acceptor } from '../session/index.ts'
import { openHttp } from '../transport/index.ts'
import { type ChildLink, type ChildSpec, childLink } from './child/link.ts'
import { QUOTED_LINES, quoted, unquoted } from './child/stderr-tail.ts'
import type { RecordingLink } from './crash-report/recording-link.ts'
import { CrashReporter, type CrashReporting } from './crash-report/reporter.ts'
import { nodeCall } from './http/client-call.ts'
import { tcpLink } from './tcp/link.ts'
import { webSocketTo } from './websocket/client.ts'

export interface NodeConnectOptions extends ConnectOptions, CrashReporting {}

export type NodeTarget = Target | ChildSpec

const openings: LinkOpenings = {
  // The caller's own `fetch` replaces `node:http`.
  'http:': (url, target, settings) =>
    openHttp(url, { ...(target.fetch === undefined && { call: nodeCall }), ...httpOptions(target, settings) }),
  'ws:': async (url, { headers }, settings) => webSocketTo(url, await webSocketOptions(headers, settings)),
  'tcp:': (url) => tcpLink(url),
}

/** Connects to a server in this process. The client gets the types of its tools. */
export function connect<S extends Acceptor>(server: S, options?: NodeConnectOptions): Promise<Client<ToolsOf<S>>>
/**
 * Connects by address, by a command that starts the server, or over links. `connect<typeof server>(url)` gives the
 * client the types of a remote server.
 */
export function connect<S extends Acceptor = Acceptor>(
  target: string | URL | RemoteTarget | ChildSpec | Link | LinkOpener,
  options?: NodeConnectOptions,
): Promise<Client<ToolsOf<S>>>
export async function connect(
  given: NodeTarget,
  { crashReports, ...options }: NodeConnectOptions = {},
): Promise<Client> {
  const through = (target: LinkOpener | Target): Promise<Client> =>
    crashReports === undefined || typeof target !== 'function'
      ? connectAnywhere(target as LinkOpener, options)
      : connectReporting(target, options, new CrashReporter(crashReports))
  if (isCommand(given)) return connectChild(given, options, through)
  if (isDirectTarget(given)) return through(given)
  const open = isRemote(given) ? openerFor(given, options, openings) : undefined
  if (open === undefined) throw cannotConnectTo(given, SUPPORTED_TARGETS)
  return through(open)
}

/** Opens a link to a program or an address, for callers with their own session. */
export async function openLink(
  target: string | URL | RemoteTarget | ChildSpec,
  settings: LinkSettings = {},
): Promise<Link> {
  if (isCommand(target)) return childLink({ ...(settings.clock && { clock: settings.clock }), ...target })
  const open = isRemote(target) ? openerFor(target, settings, openings) : undefined
  if (open === undefined) throw cannotConnectTo(target, SUPPORTED_ADDRESSES)
  return open()
}

const SUPPORTED_ADDRESSES = 'openLink() takes { command, args } or an address with http, https, ws, wss or tcp'

const SUPPORTED_TARGETS =
  'connect() of parley-mcp/node takes { command, args }, an address with http, https, ws, wss or tcp, a server value, a Link, or a function that opens one'

async function connectChild(
  spec: ChildSpec,
  { clock }: ConnectOptions,
  through: (open: LinkOpener) => Promise<Client>,
): Promise<Client> {
  let child: ChildLink | undefined
  try {
    return await through(async () => {
      child = await childLink({ ...(clock && { clock }), ...spec })
      return child
    })
  } catch (error) {
    throw withChildOutput(error, child)
  }
}

async function connectReporting(open: LinkOpener, options: ConnectOptions, reporter: CrashReporter): Promise<Client> {
  let last: RecordingLink | undefined
  const recorded: LinkOpener = async () => {
    last = reporter.record(await open())
    return last
  }
  const onSession: ConnectOptions['onSession'] = (session) => {
    if (last !== undefined) reporter.watch(session, last)
    options.onSession?.(session)
  }
  try {
    const client = await connectAnywhere(recorded, { ...options, onSession })
    client.onState(({ to }) => to === 'closed' && reporter.stop())
    return client
  } catch (error) {
    reporter.stop()
    throw error
  }
}

function isCommand(target: NodeTarget): target is ChildSpec {
  return typeof target === 'object' && target !== null && typeof (target as Partial<ChildSpec>).command === 'string'
}

/** Adds to a failed handshake with a child process what the output of the process shows. */
function withChildOutput(error: unknown, child: ChildLink | undefined): unknown {
  if (!(error instanceof ParleyError) || child === undefined) return error
  const symptoms = child.symptoms()
  const stderrText =
    error.kind === 'initialization_timeout' ? quoted(child.stderr().split('\n').slice(-QUOTED_LINES).join('\n')) : ''
  const cause = withoutStderr(error)
  if (symptoms === undefined && stderrText === '' && cause === error.cause) return error
  return new ParleyError(error.kind, {
    message: `${error.message}${symptoms === undefined ? '' : `; ${symptoms}`}${stderrText}`,
    cause,
    ...(error.data === undefined ? {} : { data: error.data }),
    ...(error.receivedCode === undefined ? {} : { code: error.receivedCode }),
  })
}

/** The messages of the error and of its cause are printed together, so the cause need not repeat the text. */
function withoutStderr({ message, cause }: ParleyError): unknown {
  if (!(cause instanceof ParleyError) || !message.includes(cause.message)) return cause
  const short = unquoted(cause.message)
  return short === cause.message
    ? cause
    : new ParleyError(cause.kind, {
        message: short,
        cause: cause.cause,
        ...(cause.data === undefined ? {} : { data: cause.data }),
      })
}
