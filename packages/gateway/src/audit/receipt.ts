/**
 * Receipts: what is kept of each thing that happened, as one line of JSON in one spelling, bound to the line before it
 * by its hash.
 */
import { canonicalJson, sha256 } from '../catalogue/index.ts'

/** What has become of a request of a client, or of a question of a server. */
export type Outcome = 'ok' | 'tool_error' | 'input_required' | 'error' | 'refused' | 'cancelled' | 'unanswered'

/** The client of an exchange, as far as it is known. */
export interface Party {
  readonly principal?: string | undefined
  /** As it introduced itself. */
  readonly client?: { readonly name: string; readonly version: string } | undefined
  readonly protocol?: string | undefined
  /** The same for all of one session, and no way back to the id of the session. */
  readonly session?: string | undefined
}

/** What was said, without what was said in it. */
export interface Exchange extends Party {
  /** Milliseconds that it took. */
  readonly ms: number
  readonly server: string
  readonly method: string
  /** What a tool or prompt is called at the server, or the URI of a resource. */
  readonly target?: string | undefined
  /** Digests of what was asked and answered. */
  readonly params?: string | undefined
  readonly result?: string | undefined
  readonly outcome: Outcome
  /** Of errors. */
  readonly code?: number | undefined
  readonly error?: string | undefined
  /** What the user decided, of an elicitation. */
  readonly action?: string | undefined
  /** Rules by which translation has lost something. */
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
  /** Its place in the chain, from 1 on. */
  readonly number: number
  readonly hash: string
}

export interface Receipt extends Sealed {
  readonly kind: string
  readonly time: string
  /** The hash of the receipt before it, which may be in another file; null when there is none. */
  readonly previous: string | null
  /** Everything it says. */
  readonly said: Readonly<Record<string, unknown>>
}

/** Longer ones are none of ours. */
export const MAX_LINE_BYTES = 64 * 1024
const DIGEST = /^sha256-[0-9a-f]{64}$/

export function digestOf(text: string | Uint8Array): string {
  return `sha256-${Buffer.from(sha256(text)).toString('hex')}`
}

/** One line, without its end. */
export function seal(
  entry: TimedEntry,
  number: number,
  previous: string | undefined,
): Sealed & { readonly line: string } {
  const written = new Spelling({ ...entry, number, previous: previous ?? null })
  const hash = digestOf(written.text)
  return { number, hash, line: written.textWith(hash) }
}

/** Undefined for what is no receipt, or not as it was written, to the byte. */
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

/** The canonical form of what a receipt says, with and without its hash: each member is written once. */
class Spelling {
  readonly #members: string[] = []
  /** Where the hash has its place among them. */
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
