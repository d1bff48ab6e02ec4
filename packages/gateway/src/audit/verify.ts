/** Reads an audit file from beginning to end, and finds the first line that was changed, inserted, moved or removed. */
import { createReadStream } from 'node:fs'
import { digestOf, MAX_LINE_BYTES, type Receipt, readReceipt } from './receipt.ts'

export interface Verdict {
  readonly unbroken: boolean
  /** The first line that is wrong. */
  readonly wrong?: { readonly line: number; readonly why: string }
  /** The number of valid receipts. In a broken file: before the wrong line. */
  readonly receipts: number
  /** The number of receipts that the gateway reports as lost. */
  readonly lost: number
  /** The number of incomplete lines that a later receipt explains. */
  readonly torn: number
  readonly from?: string
  readonly to?: string
  /** If the file continues another one: the last hash there. */
  readonly continues?: string
  /** The last hash. */
  readonly hash?: string
}

export interface VerifyOptions {
  /** A hash from elsewhere that must be in the file. */
  readonly expected?: string | undefined
}

export async function verifyAudit(lines: AsyncIterable<AuditLine>, { expected }: VerifyOptions = {}): Promise<Verdict> {
  const check = new ChainCheck(expected)
  for await (const line of lines) {
    check.take(line)
    if (check.wrong !== undefined) break
  }
  return check.verdict()
}

/** One line without its line break. `ended`: it had one. */
export interface AuditLine {
  readonly bytes: Uint8Array
  readonly ended: boolean
}

const LINE_BREAK = 10

/** Only the beginning of lines that are too long for a receipt. */
export async function* auditLines(chunks: AsyncIterable<Uint8Array>): AsyncIterable<AuditLine> {
  let rest = Buffer.alloc(0)
  let skipped = 0
  for await (const chunk of chunks) {
    rest = Buffer.concat([rest, chunk])
    for (let end = rest.indexOf(LINE_BREAK); end !== -1; end = rest.indexOf(LINE_BREAK)) {
      yield { bytes: rest.subarray(0, end), ended: true }
      rest = rest.subarray(end + 1)
      skipped = 0
    }
    if (rest.length > MAX_LINE_BYTES + 1) {
      skipped += rest.length - MAX_LINE_BYTES - 1
      rest = rest.subarray(0, MAX_LINE_BYTES + 1)
    }
  }
  if (rest.length > 0 || skipped > 0) yield { bytes: rest, ended: false }
}

export function verifyAuditFile(path: string, options?: VerifyOptions): Promise<Verdict> {
  return verifyAudit(auditLines(createReadStream(path)), options)
}

class ChainCheck {
  wrong: { readonly line: number; readonly why: string } | undefined
  #line = 0
  #first: Receipt | undefined
  #last: Receipt | undefined
  #lost = 0
  #torn = 0
  /** Lines that are no receipts. The next receipt must explain them. */
  #debris: Uint8Array[] = []
  #awaited: string | undefined
  #receipts = 0

  constructor(expected: string | undefined) {
    this.#awaited = expected
  }

  take({ bytes, ended }: AuditLine): void {
    this.#line++
    const receipt = readReceipt(bytes)
    if (receipt === undefined) {
      this.#debris.push(Buffer.from(bytes))
      if (!ended) this.#reject(this.#line - this.#debris.length + 1, this.#debris.length === 1 ? UNENDED : CHANGED)
      return
    }
    if (this.#isInPlace(receipt)) this.#keep(receipt)
  }

  verdict(): Verdict {
    if (this.wrong === undefined && this.#debris.length > 0) this.#reject(this.#line - this.#debris.length + 1, CHANGED)
    if (this.wrong === undefined && this.#awaited !== undefined) {
      this.#reject(
        this.#line + 1,
        `is missing: the receipt with the hash ${this.#awaited} is not in the file, so lines at its end were removed, or all of it was written anew`,
      )
    }
    const [first, last] = [this.#first, this.#last]
    return {
      unbroken: this.wrong === undefined,
      ...(this.wrong && { wrong: this.wrong }),
      receipts: this.#receipts,
      lost: this.#lost,
      torn: this.#torn,
      ...(first && { from: first.time }),
      ...(last && { to: last.time, hash: last.hash }),
      ...(first?.previous && { continues: first.previous }),
    }
  }

  #isInPlace(receipt: Receipt): boolean {
    if (this.#debris.length > 0 && !this.#isToldOf(receipt))
      return this.#reject(this.#line - this.#debris.length, CHANGED)
    if (this.#debris.length === 0 && TELLS_OF_DEBRIS.has(receipt.kind)) return this.#reject(this.#line, EVIDENCE_GONE)
    const why = this.#last === undefined ? firstObjection(receipt) : objection(receipt, this.#last)
    return why === undefined || this.#reject(this.#line, why)
  }

  /** Whether the receipt explains these lines as incomplete, with the right digest. */
  #isToldOf({ kind, said }: Receipt): boolean {
    return (
      kind === 'torn' &&
      said['digest'] ===
        digestOf(Buffer.concat(this.#debris.flatMap((line, at) => (at === 0 ? [line] : [Buffer.from('\n'), line]))))
    )
  }

  #keep(receipt: Receipt): void {
    this.#receipts++
    this.#torn += this.#debris.length
    this.#debris = []
    this.#first ??= receipt
    this.#last = receipt
    if (receipt.kind === 'lost') this.#lost += Number(receipt.said['count']) || 0
    if (receipt.hash === this.#awaited) this.#awaited = undefined
  }

  #reject(line: number, why: string): false {
    this.wrong ??= { line, why }
    return false
  }
}

const TELLS_OF_DEBRIS: ReadonlySet<string> = new Set(['torn', 'changed'])
const EVIDENCE_GONE = 'tells of something before it that is not there any more: it was removed'
const CHANGED = 'was changed: it is not what was written there'
const UNENDED =
  'has no end: the gateway was stopped while it wrote it, or the file was cut; once a gateway goes on with the file, it says so behind it'

function firstObjection({ previous, number }: Receipt): string | undefined {
  if ((previous === null) === (number === 1)) return undefined
  return previous === null
    ? `is number ${number} and follows no other: those before it were removed`
    : 'is the first of a chain and follows another'
}

function objection({ previous, number, hash }: Receipt, last: Receipt): string | undefined {
  if (previous === last.hash && number === last.number + 1) return undefined
  const missing = number - last.number - 1
  if (missing > 0)
    return `does not follow the line before it: ${missing} ${missing === 1 ? 'line is' : 'lines are'} missing between them, removed or moved elsewhere`
  if (hash === last.hash) return 'was inserted: it is the line before it once more'
  return `does not follow the line before it: it was inserted, or moved here from elsewhere, or another gateway wrote to the same file`
}
