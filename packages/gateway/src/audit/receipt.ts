/** Receipts: one line of canonical JSON for each exchange, which contains the hash of the line before it. */
import { canonicalJson } from 'parley-mcp/engine'
import { sha256 } from '../catalogue/index.ts'

/** The outcome of a client's request or a server's question. */
export type Outcome = 'ok' | 'tool_error' | 'input_required' | 'error' | 'refused' | 'cancelled' | 'unanswered'

/** The client of an exchange, as far as it is known. */
export interface Party {
  readonly principal?: string | undefined
  /** As in its introduction. */
  readonly client?: { readonly name: string; readonly version: string } | undefined
  readonly protocol?: string | undefined
  /** The same for all receipts of a session. The id of the session cannot be derived from it. */
  readonly session?: string | undefined
}

/** A request or a question and its outcome, without the contents. */
export interface Exchange extends Party {
  /** The duration in milliseconds. */
  readonly ms: number
  readonly server: string
  readonly method: string
  /** The name of a tool or prompt at the server, or the URI of a resource. */
  readonly target?: string | undefined
  /** Digests of params and result. */
  readonly params?: string | undefined
  readonly result?: string | undefined
  readonly outcome: Outcome
  /** Of errors. */
  readonly code?: number | undefined
  readonly error?: string | undefined
  /** The user's decision on an elicitation. */
  readonly action?: string | undefined
  /** The rules of translation losses. */
  readonly losses?: readonly string[] | undefined
}

export type AuditEntry =
  | { readonly kind: 'start'; readonly format: 1; readonly configuration: string }
  | { readonly kind: 'reload'; readonly configuration: string }
  | { readonly kind: 'end' }
  | ({ readonly kind: 'request' | 'question' } & Exchange)
  /** Receipts that could not be kept. */
  | { readonly kind: 'lost'; count: number }
  /**
   * What stands between this line and the receipt it follows: the piece of a line that was never written to its end, or
   * lines that do not hold.
   */
  | { readonly kind: 'torn' | 'changed'; readonly bytes: number; readonly digest: string }

export type TimedEntry = { readonly time: string } & AuditEntry

export interface Sealed {
  /** Its position in the chain, from 1 on. */
  readonly number: number
  readonly hash: string
}

export interface Receipt extends Sealed {
  readonly kind: string
  readonly time: string
  /** The hash of the receipt before it, which may be in another file. Null for the first receipt. */
  readonly previous: string | null
  /** All members but the hash. */
  readonly said: Readonly<Record<string, unknown>>
}

/** The gateway writes no longer lines. */
export const MAX_LINE_BYTES = 64 * 1024
const DIGEST = /^sha256-[0-9a-f]{64}$/

export function digestOf(text: string | Uint8Array): string {
  return `sha256-${Buffer.from(sha256(text)).toString('hex')}`
}

/** One line, without the line break. */
export function seal(
  entry: TimedEntry,
  number: number,
  previous: string | undefined,
): Sealed & { readonly line: string } {
  const written = new Spelling({ ...entry, number, previous: previous ?? null })
  const hash = digestOf(written.text)
  return { number, hash, line: written.textWith(hash) }
}

/** Undefined for a line that is no receipt, or was changed in any byte. */
export function readReceipt(line: Uint8Array): Receipt | undefined {
  if (line.length > MAX_LINE_BYTES) return undefined
  try {
    const { hash, ...said } = JSON.parse(Buffer.from(line).toString()) as Record<string, unknown>
    const { number, previous, kind, time } = said
    const isWhole =
      typeof kind === 'string' &&
      typeof time === 'string' &&
      Number.isSafeInteger(number) &&
      (previous === null || isDigest(previous))
    if (!isWhole || !isDigest(hash)) return undefined
    const written = new Spelling(said)
    if (hash !== digestOf(written.text) || !Buffer.from(written.textWith(hash)).equals(line)) return undefined
    return { number: number as number, hash, previous: previous as string | null, kind, time, said }
  } catch {
    return undefined
  }
}

/** The canonical text of a receipt, with and without its hash. Serialises each member once. */
class Spelling {
  readonly #members: string[] = []
  /** The position of the hash among the members. */
  #hashAt = 0

  constructor(said: Readonly<Record<string, unknown>>) {
    for (const key of Object.keys(said).sort()) {
      const value = said[key]
      if (value === undefined) continue
      if (key < 'hash') this.#hashAt++
      this.#members.push(
        `${JSON.stringify(key)}:${typeof value === 'object' ? canonicalJson(value) : JSON.stringify(value)}`,
      )
    }
  }

  get text(): string {
    return `{${this.#members.join(',')}}`
  }

  textWith(hash: string): string {
    return `{${this.#members.toSpliced(this.#hashAt, 0, `"hash":"${hash}"`).join(',')}}`
  }
}

function isDigest(value: unknown): value is string {
  return typeof value === 'string' && DIGEST.test(value)
}
