/** Opens one session: a link, and what both sides agree on; or one clear error and nothing left behind. */
import { ParleyError } from '../errors/index.ts'
import type { Link } from '../jsonrpc/index.ts'
import {
  type Adopt,
  LostInDiscovery,
  refusedHandshake,
  Session,
  type SessionEvent,
  type SessionOptions,
  spokenVersions,
  versionsIn,
} from '../session/index.ts'
import { type Era, isVersion, type ProtocolVersion, unsupportedVersion, versions } from '../versions/index.ts'
import { ClientEndpoint, relayed, type ToolHeaders } from './answer.ts'
import { namingCaller } from './caller-stack.ts'
import type { KnownEra } from './era-memory.ts'
import { type ConnectOptions, identityFrom } from './options.ts'
import type { LinkOpener } from './target.ts'

export interface Dialling {
  readonly open: LinkOpener
  /** Whether another link can be opened. */
  readonly repeatable: boolean
  readonly era: KnownEra
  readonly options: ConnectOptions
  readonly adopt: Adopt
  readonly tools: ToolHeaders
  /** Called before the handshake. */
  readonly onSession: (session: Session) => void
  readonly onEvent: (event: SessionEvent) => void
}

export async function dial(dialling: Dialling, signal: AbortSignal | undefined): Promise<Session> {
  const speaks = versionsOf(dialling.options)
  const known = preferredEra(dialling.options, speaks) ?? eraIn(dialling.era)
  const session = await attempt(dialling, speaks, known, signal).catch((error: unknown) => {
    const second = secondAttempt(error, known, speaks)
    if (second === undefined || !dialling.repeatable || signal?.aborted) throw error
    return attempt(dialling, speaks, second.era, signal)
  })
  // Who speaks or tries versions of one era only has learnt nothing about the other.
  if (known === 'handshake' && session.era === known && dialling.options.prefer !== undefined) return session
  if (session.era !== undefined && (session.era === 'stateless' || versionsIn('stateless', speaks).length > 0))
    dialling.era.set(session.era)
  return session
}

function preferredEra({ prefer }: ConnectOptions, speaks: readonly ProtocolVersion[]): Era | undefined {
  return prefer !== undefined && versionsIn(prefer, speaks).length > 0 ? prefer : undefined
}

/** What is remembered may have been written by anybody. */
function eraIn(memory: KnownEra): Era | undefined {
  const era: unknown = memory.get()
  return era === 'handshake' || era === 'stateless' ? era : undefined
}

/**
 * Some servers do not survive a question they do not know, and some have changed since they were remembered: over a new
 * link, once.
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
  dialling: Dialling,
  speaks: readonly ProtocolVersion[],
  era: Era | undefined,
  signal: AbortSignal | undefined,
): Promise<Session> {
  if (signal?.aborted) throw givenUp(signal)
  const session = openSession(await openLink(dialling.open, signal), speaks, dialling)
  const abort = () => void session.close({ reason: givenUp(signal) })
  signal?.addEventListener('abort', abort, { once: true })
  try {
    dialling.onSession(session)
    await session.begin(era === undefined ? {} : { era })
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
  { options, adopt, tools, onEvent }: Dialling,
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
        : relayed(options.endpoint, tools),
    versions: speaks,
    adopt,
    // Whoever stands between two others hands failures on, and has no line of its own to show.
    ...(options.endpoint === undefined && { refused: namingCaller }),
    onEvent,
  }
}

/** Without the members that are undefined: a default is a member that is absent. */
function present<T extends object>(given: T): Partial<T> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Partial<T>
}

function givenUp(signal: AbortSignal | undefined): ParleyError {
  return new ParleyError('request_cancelled', {
    message: 'Connecting was given up by the caller',
    cause: signal?.reason,
  })
}
