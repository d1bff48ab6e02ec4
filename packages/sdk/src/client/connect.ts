/** From something to talk to, to a client whose handshake is complete; or one clear error and nothing left behind. */
import { ParleyError } from '../errors/index.ts'
import type { Link } from '../jsonrpc/index.ts'
import { handshakeVersions, isVersion, type LogMessageParams, type ProtocolVersion, unsupportedVersion, versions } from '../protocol/index.ts'
import { type Acceptor, Session, type SessionEvent, type SessionOptions } from '../session/index.ts'
import { memoryPair } from '../transport/index.ts'
import { ClientEndpoint } from './answer.ts'
import { Client } from './client.ts'
import { type ConnectOptions, identityFrom } from './options.ts'
import type { ToolsOf } from './typed.ts'

/** A server value talks in this process; its tools give the client its types. */
export function connect<S extends Acceptor>(server: S, options?: ConnectOptions): Promise<Client<ToolsOf<S>>>
/** `connect<typeof server>(link)` gives a remote server's types to the client. */
export function connect<S extends Acceptor = Acceptor>(link: Link, options?: ConnectOptions): Promise<Client<ToolsOf<S>>>
export async function connect(target: Acceptor | Link, options: ConnectOptions = {}): Promise<Client<never>> {
  const speaks = versionsOf(options)
  if (options.signal?.aborted) throw givenUp(options.signal)
  const session = openSession(linkTo(target), speaks, options)
  const abort = () => void session.close({ reason: givenUp(options.signal) })
  options.signal?.addEventListener('abort', abort, { once: true })
  try {
    if (options.onLog !== undefined) listenToLog(session, options.onLog)
    await session.initialise()
  } catch (error) {
    await session.close()
    throw options.signal?.aborted ? givenUp(options.signal) : error
  } finally {
    options.signal?.removeEventListener('abort', abort)
  }
  return new Client(session, options.onError)
}

/** Settings can be wrong; the other end must not wait for a session that never came to be. */
function openSession(link: Link, speaks: readonly ProtocolVersion[], options: ConnectOptions): Session {
  try {
    return new Session(sessionOptions(link, speaks, options))
  } catch (error) {
    link.close()
    throw error
  }
}

/** Before the handshake, because servers may log right after it. */
function listenToLog(session: Session, onLog: (message: LogMessageParams) => void): void {
  session.onNotification('notifications/message', (params) => onLog(params as LogMessageParams))
}

function linkTo(target: Acceptor | Link): Link {
  if (isLink(target)) return target
  if (!isAcceptor(target)) throw unreachable(target)
  const [near, far] = memoryPair()
  target.accept(far)
  return near
}

function isLink(target: unknown): target is Link {
  const { open, send, close } = (target ?? {}) as Partial<Link>
  return typeof open === 'function' && typeof send === 'function' && typeof close === 'function'
}

function isAcceptor(target: unknown): target is Acceptor {
  return typeof (target as Partial<Acceptor> | undefined)?.accept === 'function'
}

function unreachable(target: unknown): ParleyError {
  const given = typeof target === 'string' || target instanceof URL ? `the address ${String(target).slice(0, 200)}` : shapeOf(target)
  return new ParleyError('transport_error', {
    message: `Cannot connect to ${given}: connect() of parley-mcp/client takes a server value or a Link; addresses and { command } need the transports of parley-mcp/node`,
  })
}

function shapeOf(target: unknown): string {
  return typeof target === 'object' && target !== null ? `an object with ${Object.keys(target).slice(0, 5).join(', ') || 'no members'}` : String(target)
}

/** The versions to speak, checked here so that a typing error is not mistaken for a server that is too old. */
function versionsOf({ version, versions: list }: ConnectOptions): readonly ProtocolVersion[] {
  const asked: readonly ProtocolVersion[] = version === undefined ? (list ?? versions) : [version]
  for (const each of asked) if (!isVersion(each)) throw unsupportedVersion(each, versions)
  if (asked.some((each) => (handshakeVersions as readonly ProtocolVersion[]).includes(each))) return asked
  throw new ParleyError('unsupported_protocol_version', {
    message: `This client opens conversations with a handshake, which ${asked.join(', ') || 'an empty list of versions'} has not; it can speak ${handshakeVersions.join(', ')}`,
    data: { requested: [...asked], supported: [...handshakeVersions] },
  })
}

function sessionOptions(link: Link, speaks: readonly ProtocolVersion[], options: ConnectOptions): SessionOptions {
  const { timeout, maxTimeout, onError, onEvent } = options
  return {
    ...present({
      initialiseTimeout: options.initialiseTimeout,
      requestTimeout: timeout,
      maxRequestTimeout: maxTimeout,
      keepAlive: options.keepAlive,
      maxPending: options.maxPending,
      profile: options.profile,
      limits: options.limits,
      clock: options.clock,
      mint: options.mint,
      tap: options.tap,
    }),
    role: 'client',
    link,
    endpoint: new ClientEndpoint(identityFrom(options), options),
    versions: speaks,
    ...(onError === undefined && onEvent === undefined ? {} : { onEvent: reporter(onError, onEvent) }),
  }
}

function reporter(onError: ConnectOptions['onError'], onEvent: ConnectOptions['onEvent']): (event: SessionEvent) => void {
  return (event) => {
    onEvent?.(event)
    if (event.type === 'error') onError?.(event.error, { during: event.during })
  }
}

/** Without the members that are undefined: a default is a member that is absent. */
function present<T extends object>(given: T): Partial<T> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Partial<T>
}

function givenUp(signal: AbortSignal | undefined): ParleyError {
  return new ParleyError('request_cancelled', { message: 'Connecting was given up by the caller', cause: signal?.reason })
}
