/** Opens one session: a link and its handshake, or one clear error and nothing left behind. */
import { ParleyError } from '../errors/index.ts'
import type { Link } from '../jsonrpc/index.ts'
import { handshakeVersions, isVersion, type ProtocolVersion, unsupportedVersion, versions } from '../protocol/index.ts'
import { type Adopt, Session, type SessionEvent, type SessionOptions } from '../session/index.ts'
import { ClientEndpoint, type ToolHeaders } from './answer.ts'
import { type ConnectOptions, identityFrom } from './options.ts'
import type { LinkOpener } from './target.ts'

export interface Dialling {
  readonly open: LinkOpener
  readonly options: ConnectOptions
  readonly adopt: Adopt
  readonly tools: ToolHeaders
  /** Called before the handshake. */
  readonly onSession: (session: Session) => void
  readonly onEvent: (event: SessionEvent) => void
}

export async function dial(dialling: Dialling, signal: AbortSignal | undefined): Promise<Session> {
  const speaks = versionsOf(dialling.options)
  if (signal?.aborted) throw givenUp(signal)
  const session = openSession(await openLink(dialling.open, signal), speaks, dialling)
  const abort = () => void session.close({ reason: givenUp(signal) })
  signal?.addEventListener('abort', abort, { once: true })
  try {
    dialling.onSession(session)
    await session.initialise()
    return session
  } catch (error) {
    await session.close()
    throw signal?.aborted ? givenUp(signal) : error
  } finally {
    signal?.removeEventListener('abort', abort)
  }
}

/** A link that comes after the caller has gone is closed again. */
async function openLink(open: LinkOpener, signal: AbortSignal | undefined): Promise<Link> {
  const opening = open()
  if (!(opening instanceof Promise)) return opening
  if (signal === undefined) return await opening
  return await new Promise((resolve, reject) => {
    const abort = () => {
      reject(givenUp(signal))
      opening.then((link) => link.close()).catch(() => {})
    }
    signal.addEventListener('abort', abort, { once: true })
    opening.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/** Settings can be wrong; the other end must not wait for a session that never came to be. */
function openSession(link: Link, speaks: readonly ProtocolVersion[], dialling: Dialling): Session {
  try {
    return new Session(sessionOptions(link, speaks, dialling))
  } catch (error) {
    link.close()
    throw error
  }
}

/** The versions to speak, checked here so that a typing error is not mistaken for a server that is too old. */
function versionsOf({ version, versions: list }: ConnectOptions): readonly ProtocolVersion[] {
  const asked: readonly ProtocolVersion[] = version === undefined ? (list ?? versions) : [version]
  for (const each of asked) if (!isVersion(each)) throw unsupportedVersion(each, handshakeVersions)
  if (asked.some((each) => (handshakeVersions as readonly ProtocolVersion[]).includes(each))) return asked
  throw new ParleyError('unsupported_protocol_version', {
    message: `This client opens conversations with a handshake, which ${asked.join(', ') || 'an empty list of versions'} has not; it can speak ${handshakeVersions.join(', ')}`,
    data: { requested: [...asked], supported: [...handshakeVersions] },
  })
}

function sessionOptions(link: Link, speaks: readonly ProtocolVersion[], { options, adopt, tools, onEvent }: Dialling): SessionOptions {
  return {
    ...present({
      initialiseTimeout: options.initialiseTimeout,
      requestTimeout: options.timeout,
      maxRequestTimeout: options.maxTimeout,
      keepAlive: options.keepAlive,
      maxPending: options.maxPending,
      maxRequestId: options.maxRequestId,
      profile: options.profile,
      limits: options.limits,
      clock: options.clock,
      mint: options.mint,
      tap: options.tap,
    }),
    role: 'client',
    link,
    endpoint: new ClientEndpoint(identityFrom(options), options, tools),
    versions: speaks,
    adopt,
    onEvent,
  }
}

/** Without the members that are undefined: a default is a member that is absent. */
function present<T extends object>(given: T): Partial<T> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Partial<T>
}

function givenUp(signal: AbortSignal | undefined): ParleyError {
  return new ParleyError('request_cancelled', { message: 'Connecting was given up by the caller', cause: signal?.reason })
}
