/** Records messages as readable lines, for snapshots. */
import { type Body, isObject } from '../jsonrpc/index.ts'
import { META } from '../versions/index.ts'

type MessageDirection = 'sent' | 'received'

const ARROWS: Readonly<Record<MessageDirection, string>> = { sent: '→', received: '←' }
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi
const MAX_LINES = 10_000
/** The metadata that every stateless message repeats. */
const ENVELOPE: ReadonlySet<string> = new Set([META.version, META.clientInfo, META.clientCapabilities, META.serverInfo])
/** Longer states are sealed, and differ in each run. */
const READABLE_STATE = 12

/**
 * One line for each message: `→` sent, `←` received, `#1` the client's first request, `#s1` the server's first. Left
 * out is what every stateless message repeats: version, names and client capabilities in `_meta`, and `resultType:
 * "complete"`. Sealed values of `requestState` and UUIDs are replaced by numbered names. The log level, the
 * subscription and questions in a result stay.
 */
export class Transcript {
  readonly #lines: string[] = []
  /** Names by request id: `#1` is the client's first request, `#s1` the server's. */
  readonly #ids: Readonly<Record<MessageDirection, Map<unknown, string>>> = { sent: new Map(), received: new Map() }
  readonly #uuids = new Map<string, string>()
  readonly #states = new Map<string, string>()
  #omitted = 0

  /** Has the signature of `tap` of a session. */
  readonly record = (direction: MessageDirection, frame: string): void => {
    let value: unknown
    try {
      value = JSON.parse(frame)
    } catch {
      return this.#add(`${ARROWS[direction]} (not JSON) ${JSON.stringify(frame)}`)
    }
    if (!Array.isArray(value)) return this.#add(`${ARROWS[direction]} ${this.#describe(direction, value)}`)
    this.#add(`${ARROWS[direction]} batch of ${value.length}`)
    for (const item of value) this.#add(`  ${ARROWS[direction]} ${this.#describe(direction, item)}`)
  }

  get lines(): readonly string[] {
    return this.#lines
  }

  /** Removes all lines. The numbering continues. */
  clear(): void {
    this.#lines.length = 0
    this.#omitted = 0
  }

  toString(): string {
    return this.#omitted === 0 ? this.#lines.join('\n') : `${this.#lines.join('\n')}\n… ${this.#omitted} more`
  }

  toJSON(): readonly string[] {
    return this.#lines
  }

  #add(line: string): void {
    if (this.#lines.length < MAX_LINES) this.#lines.push(line.replace(UUID, (uuid) => this.#uuid(uuid)))
    else this.#omitted++
  }

  #describe(direction: MessageDirection, message: unknown): string {
    if (typeof message !== 'object' || message === null) return `(not a message) ${JSON.stringify(message)}`
    const { id, method, params, result, error } = message as Record<string, unknown>
    if (method !== undefined)
      return joined(String(method), id === undefined ? undefined : this.#id(direction, id), this.#params(params))
    const asked = this.#id(direction === 'sent' ? 'received' : 'sent', id)
    if (error === undefined) return joined('result', asked, this.#body(result))
    const { code, message: text, data } = error as Record<string, unknown>
    return joined('error', asked, code, text, data)
  }

  #id(asker: MessageDirection, id: unknown): string {
    if (id === undefined || id === null) return '#?'
    const ids = this.#ids[asker]
    const known = ids.get(id) ?? `#${asker === 'received' ? 's' : ''}${ids.size + 1}`
    ids.set(id, known)
    return known
  }

  #params(params: unknown): unknown {
    const shown = this.#body(params)
    return shown !== params && isObject(shown) && Object.keys(shown).length === 0 ? undefined : shown
  }

  /** Returns the same value if nothing is left out. */
  #body(body: unknown): unknown {
    if (!isObject(body)) return body
    const { _meta, resultType, requestState, ...own } = body
    const meta = metaShown(_meta)
    const state = this.#state(requestState)
    if (meta === _meta && resultType !== 'complete' && state === requestState) return body
    return {
      ...(resultType !== undefined && resultType !== 'complete' && { resultType }),
      ...own,
      ...(state !== undefined && { requestState: state }),
      ...(meta !== undefined && { _meta: meta }),
    }
  }

  #state(state: unknown): unknown {
    if (typeof state !== 'string' || state.length <= READABLE_STATE) return state
    const known = this.#states.get(state) ?? `state-${this.#states.size + 1}`
    this.#states.set(state, known)
    return known
  }

  #uuid(uuid: string): string {
    const known = this.#uuids.get(uuid) ?? `uuid-${this.#uuids.size + 1}`
    this.#uuids.set(uuid, known)
    return known
  }
}

function joined(head: string, id: string | undefined, ...values: unknown[]): string {
  const shown = values.filter((value) => value !== undefined).map((value) => JSON.stringify(value))
  return [head, ...(id === undefined ? [] : [id]), ...shown].join(' ')
}

function metaShown(meta: unknown): unknown {
  if (!isObject(meta) || !Object.keys(meta).some((name) => ENVELOPE.has(name))) return meta
  const kept: Body = Object.fromEntries(Object.entries(meta).filter(([name]) => !ENVELOPE.has(name)))
  return Object.keys(kept).length === 0 ? undefined : kept
}
