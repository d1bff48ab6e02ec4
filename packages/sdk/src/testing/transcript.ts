/** What went over the wire, as lines a person can read and a snapshot can hold. */

type Direction = 'sent' | 'received'

const ARROWS: Readonly<Record<Direction, string>> = { sent: '→', received: '←' }
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi
const MAX_LINES = 10_000

export class Transcript {
  readonly #lines: string[] = []
  /** Ids by whoever made the request: `#1` the client's first, `#s1` the server's first. */
  readonly #ids: Readonly<Record<Direction, Map<unknown, string>>> = { sent: new Map(), received: new Map() }
  readonly #uuids = new Map<string, string>()
  #left = 0

  /** The form of a session's `tap`. */
  readonly record = (direction: Direction, frame: string): void => {
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

  /** Forgets the lines so far; ids go on. */
  clear(): void {
    this.#lines.length = 0
    this.#left = 0
  }

  toString(): string {
    return this.#left === 0 ? this.#lines.join('\n') : `${this.#lines.join('\n')}\n… ${this.#left} more`
  }

  toJSON(): readonly string[] {
    return this.#lines
  }

  #add(line: string): void {
    if (this.#lines.length < MAX_LINES) this.#lines.push(line.replace(UUID, (uuid) => this.#uuid(uuid)))
    else this.#left++
  }

  #describe(direction: Direction, message: unknown): string {
    if (typeof message !== 'object' || message === null) return `(not a message) ${JSON.stringify(message)}`
    const { id, method, params, result, error } = message as Record<string, unknown>
    if (method !== undefined) return joined(String(method), id === undefined ? undefined : this.#id(direction, id), params)
    const asked = this.#id(direction === 'sent' ? 'received' : 'sent', id)
    if (error === undefined) return joined('result', asked, result)
    const { code, message: text, data } = error as Record<string, unknown>
    return joined('error', asked, code, text, data)
  }

  #id(asker: Direction, id: unknown): string {
    if (id === undefined || id === null) return '#?'
    const ids = this.#ids[asker]
    const known = ids.get(id) ?? `#${asker === 'received' ? 's' : ''}${ids.size + 1}`
    ids.set(id, known)
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
