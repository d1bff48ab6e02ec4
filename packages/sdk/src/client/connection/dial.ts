/** Opens a link and a session on it. After a failure nothing stays open. */
import { ParleyError } from '../../errors/index.ts'
import type { Link } from '../../jsonrpc/index.ts'
import {
  type Adopt,
  LostInDiscovery,
  refusedHandshake,
  Session,
  type SessionEvent,
  type SessionOptions,
  spokenVersions,
  versionsIn,
} from '../../session/index.ts'
import { type Era, isVersion, type ProtocolVersion, unsupportedVersion, versions } from '../../versions/index.ts'
import { withCallerStack } from '../calls/caller-stack.ts'
import { type ConnectOptions, identityFrom } from '../options.ts'
import { ClientEndpoint, relayedEndpoint, type ToolHeaders } from '../questions/client-endpoint.ts'
import type { LinkOpener } from '../target.ts'
import type { KnownEra } from './era-memory.ts'

export interface DialOptions {
  readonly open: LinkOpener
  /** Whether a second link can be opened. */
  readonly canReopen: boolean
  readonly era: KnownEra
  readonly options: ConnectOptions
  readonly adopt: Adopt
  readonly tools: ToolHeaders
  /** Called before the handshake. */
  readonly onSession: (session: Session) => void
  readonly onEvent: (event: SessionEvent) => void
}

export async function dial(dialOptions: DialOptions, signal: AbortSignal | undefined): Promise<Session> {
  const speaks = versionsOf(dialOptions.options)
  const known = preferredEra(dialOptions.options, speaks) ?? eraIn(dialOptions.era)
  const session = await attempt(dialOptions, speaks, known, signal).catch((error: unknown) => {
    const second = secondAttempt(error, known, speaks)
    if (second === undefined || !dialOptions.canReopen || signal?.aborted) throw error
    return attempt(dialOptions, speaks, second.era, signal)
  })
  // Remember the era only if the client could have found the other one.
  if (known === 'handshake' && session.era === known && dialOptions.options.prefer !== undefined) return session
  if (session.era !== undefined && (session.era === 'stateless' || versionsIn('stateless', speaks).length > 0))
    dialOptions.era.set(session.era)
  return session
}

function preferredEra({ prefer }: ConnectOptions, speaks: readonly ProtocolVersion[]): Era | undefined {
  return prefer !== undefined && versionsIn(prefer, speaks).length > 0 ? prefer : undefined
}

/** The memory may be the caller's own, so its values are checked. */
function eraIn(memory: KnownEra): Era | undefined {
  const era: unknown = memory.get()
  return era === 'handshake' || era === 'stateless' ? era : undefined
}

/**
 * What to try on a second link. Some servers end when they get an unknown request. Others changed their era since it
 * was remembered.
 */
function secondAttempt(
  error: unknown,
  known: Era | undefined,
  speaks: readonly ProtocolVersion[],
): { era: Era | undefined } | undefined {
  if (error instanceof LostInDiscovery) return { era: 'handshake' }
  const changed = known === 'handshake' && versionsIn('stateless', speaks).length > 0 && refusedHandshake(error)
  return changed ? { era: undefined } : undefined
}

async function attempt(
  dialOptions: DialOptions,
  speaks: readonly ProtocolVersion[],
  era: Era | undefined,
  signal: AbortSignal | undefined,
): Promise<Session> {
  if (signal?.aborted) throw connectAborted(signal)
  const session = openSession(await openLink(dialOptions.open, signal), speaks, dialOptions)
  const abort = () => void session.close({ reason: connectAborted(signal) })
  signal?.addEventListener('abort', abort, { once: true })
  try {
    dialOptions.onSession(session)
    await session.begin(era === undefined ? {} : { era })
    return session
  } catch (error) {
    await session.close()
    throw signal?.aborted ? connectAborted(signal) : error
  } finally {
    signal?.removeEventListener('abort', abort)
  }
}

/** Closes a link that opens after the caller has aborted. */
async function openLink(open: LinkOpener, signal: AbortSignal | undefined): Promise<Link> {
  const opening = open()
  if (!(opening instanceof Promise)) return opening
  if (signal === undefined) return await opening
  return await new Promise((resolve, reject) => {
    const abort = () => {
      reject(connectAborted(signal))
      opening.then((link) => link.close()).catch(() => {})
    }
    signal.addEventListener('abort', abort, { once: true })
    opening.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/** Wrong settings throw. The link is then closed, so that the server does not wait. */
function openSession(link: Link, speaks: readonly ProtocolVersion[], dialOptions: DialOptions): Session {
  try {
    return new Session(sessionOptions(link, speaks, dialOptions))
  } catch (error) {
    link.close()
    throw error
  }
}

/** Checked here, so that a misspelt version is not reported as a server that is too old. */
function versionsOf({ version, versions: list, dialect }: ConnectOptions): readonly ProtocolVersion[] {
  const asked: readonly ProtocolVersion[] =
    spokenVersions({ versions: version === undefined ? list : [version], dialect }) ?? versions
  for (const each of asked) if (!isVersion(each)) throw unsupportedVersion(each, versions)
  if (asked.length > 0) return asked
  throw new ParleyError('unsupported_protocol_version', {
    message: `An empty list of versions leaves nothing to speak; there are ${versions.join(', ')}`,
    data: { requested: [], supported: [...versions] },
  })
}

function sessionOptions(
  link: Link,
  speaks: readonly ProtocolVersion[],
  { options, adopt, tools, onEvent }: DialOptions,
): SessionOptions {
  return {
    ...present({
      initialiseTimeout: options.initialiseTimeout,
      probeTimeout: options.probeTimeout,
      requestTimeout: options.timeout,
      maxRequestTimeout: options.maxTimeout,
      keepAlive: options.keepAlive,
      maxPending: options.maxPending,
      maxRounds: options.maxRounds,
      maxRequestId: options.maxRequestId,
      profile: options.profile,
      limits: options.limits,
      clock: options.clock,
      mint: options.mint,
      tap: options.tap,
      dialect: options.dialect,
    }),
    role: 'client',
    link,
    endpoint:
      options.endpoint === undefined
        ? new ClientEndpoint(identityFrom(options), options, tools)
        : relayedEndpoint(options.endpoint, tools),
    versions: speaks,
    adopt,
    // A proxy passes failures on, so its own stack helps no caller.
    ...(options.endpoint === undefined && { refused: withCallerStack }),
    onEvent,
  }
}

/** Removes members that are undefined, because a default needs an absent member. */
function present<T extends object>(given: T): Partial<T> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Partial<T>
}

function connectAborted(signal: AbortSignal | undefined): ParleyError {
  return new ParleyError('request_cancelled', {
    message: 'The caller aborted connecting',
    cause: signal?.reason,
  })
}
