/** Writes receipts to a file, in order and in the background. No call waits for the disk, and no call fails with it. */
import { type Clock, systemClock } from 'parley-mcp/engine'
import { type GatewayLog, silentLog } from '../log/index.ts'
import { AuditFile, AuditFileError, type AuditStorage, reasonOf } from './audit-file.ts'
import { fileEnd } from './file-end.ts'
import { lockFor } from './lock.ts'
import { type AuditEntry, digestOf, seal, type TimedEntry } from './receipt.ts'

export interface AuditCounts {
  written(count: number): void
  lost(count: number): void
  failed(): void
}

export interface AuditLogOptions {
  readonly log?: GatewayLog
  readonly clock?: Clock
  readonly counts?: AuditCounts
  /** Replaces the file on disk. */
  readonly storage?: AuditStorage
}

/** Further receipts are lost and counted. */
const MAX_WAITING_RECEIPTS = 10_000
const MAX_RECEIPTS_PER_WRITE = 250
/** After a failed write. */
const RETRY_DELAY_MS = 1000
/** A person who can write the file can forge all of it. The hashes in the gateway's log show that. */
const HASH_LOG_INTERVAL_MS = 3_600_000
const UNCOUNTED: AuditCounts = { written: () => {}, lost: () => {}, failed: () => {} }

export class AuditLog {
  readonly #path: string
  readonly #storage: AuditStorage
  readonly #log: GatewayLog
  readonly #clock: Clock
  readonly #counts: AuditCounts
  #release: () => Promise<void> = async () => {}
  readonly #waiting: TimedEntry[] = []
  /** The number of first entries that may be in the file already. */
  #tried = 0
  #number = 0
  #hash: string | undefined
  /** The hashes of the last write, if it is unknown how much of it has reached the file. */
  #doubtful: readonly string[] | undefined
  #endsLine = true
  #writing: Promise<void> | undefined
  #resting: (() => void) | undefined
  #failing = false
  #closed = false
  #told = 0
  #stopTelling: () => void = () => {}

  private constructor(
    path: string,
    storage: AuditStorage,
    { log = silentLog, clock = systemClock, counts = UNCOUNTED }: AuditLogOptions,
  ) {
    this.#path = path
    this.#storage = storage
    this.#log = log
    this.#clock = clock
    this.#counts = counts
  }

  /** Continues the file. Throws if it cannot be used. */
  static async open(path: string, options: AuditLogOptions = {}): Promise<AuditLog> {
    const file = new AuditFile(path)
    if (options.storage === undefined) await file.demandWritable()
    const audit = new AuditLog(path, options.storage ?? file, options)
    if (options.storage === undefined) audit.#release = await lockFor(path)
    try {
      await audit.#resume()
    } catch (error) {
      await audit.#release()
      throw error
    }
    audit.#tellNowAndThen()
    return audit
  }

  /** The last written receipt. Its hash covers all earlier ones. */
  get last(): { readonly number: number; readonly hash: string | undefined } {
    return { number: this.#number, hash: this.#hash }
  }

  write(entry: AuditEntry): void {
    if (this.#closed) return
    if (this.#waiting.length < MAX_WAITING_RECEIPTS) this.#waiting.push({ time: this.#now, ...entry })
    else this.#lose(1)
    this.#begin()
  }

  /** A receipt could not be made. */
  missed(cause: unknown): void {
    if (this.#closed) return
    this.#log.error(`Audit: a receipt could not be made: ${cause instanceof Error ? cause.message : String(cause)}`)
    this.#lose(1)
    this.#begin()
  }

  /** Resolves when no write is in progress. */
  async settled(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing
  }

  /** Writes the waiting receipts, if possible, and logs the last hash. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.write({ kind: 'end' })
    this.#closed = true
    this.#stopTelling()
    await this.settled()
    if (this.#resting !== undefined) {
      this.#wakeUp()
      await this.settled()
      this.#resting?.()
    }
    await this.#storage.sync().catch(() => {})
    await this.#release()
    if (this.#waiting.length > 0)
      this.#log.error(`Audit: ${this.#waiting.length} receipts could not be written to ${this.#path} and are lost`)
    this.#tell()
  }

  get #now(): string {
    return new Date(this.#clock.now()).toISOString()
  }

  async #resume(): Promise<void> {
    const tail = await this.#storage.tail()
    const { last, debris, debrisKind, endsLine } = fileEnd(tail)
    if (last === undefined && tail.bytes.length > 0 && !Buffer.from(debris).toString().includes('"hash":"sha256-'))
      throw new AuditFileError(`${this.#path} is not an audit file, and was left as it is; name another one`)
    this.#number = last?.number ?? 0
    this.#told = this.#number
    this.#hash = last?.hash
    this.#endsLine = endsLine
    if (debris.length === 0) return
    const what = debrisKind === 'torn' ? 'was never written to its end' : 'is not as it was written'
    this.#log[debrisKind === 'torn' ? 'warning' : 'error'](
      `The last line of the audit file ${this.#path} ${what}; it stays there, and the receipts go on behind it`,
    )
    this.write({ kind: debrisKind, bytes: debris.length, digest: digestOf(debris) })
  }

  #begin(): void {
    if (this.#writing !== undefined || this.#resting !== undefined || this.#waiting.length === 0) return
    // Entries of one moment go into one write.
    this.#writing = new Promise<void>((resolve) => setImmediate(resolve)).then(() => this.#writeAll())
  }

  async #writeAll(): Promise<void> {
    try {
      while (this.#waiting.length > 0) await this.#writeSome()
    } catch (error) {
      this.#rest(error)
    } finally {
      this.#writing = undefined
    }
  }

  async #writeSome(): Promise<void> {
    if (this.#doubtful !== undefined) await this.#lookAgain(this.#doubtful)
    const sealed = this.#sealed(this.#waiting.slice(0, MAX_RECEIPTS_PER_WRITE))
    if (sealed.length === 0) return
    this.#tried = Math.max(this.#tried, sealed.length)
    this.#doubtful = sealed.map(({ hash }) => hash)
    await this.#storage.append(`${this.#endsLine ? '' : '\n'}${sealed.map(({ line }) => `${line}\n`).join('')}`)
    this.#arrived(sealed.length)
    this.#endsLine = true
    if (!this.#failing) return
    this.#failing = false
    this.#log.warning(`The audit file ${this.#path} is written again`)
  }

  #sealed(entries: readonly TimedEntry[]): ReturnType<typeof seal>[] {
    let [number, hash] = [this.#number, this.#hash]
    return entries.map((entry) => {
      const sealed = seal(entry, ++number, hash)
      hash = sealed.hash
      return sealed
    })
  }

  #arrived(count: number): void {
    this.#number += count
    this.#hash = count === 0 ? this.#hash : this.#doubtful?.[count - 1]
    this.#doubtful = undefined
    this.#waiting.splice(0, count)
    this.#tried = Math.max(0, this.#tried - count)
    this.#counts.written(count)
  }

  /** After a failed write: a full disk may have taken some lines and a part of the next. */
  async #lookAgain(tried: readonly string[]): Promise<void> {
    const { last, debris, endsLine } = fileEnd(await this.#storage.tail())
    this.#arrived(last === undefined ? 0 : tried.indexOf(last.hash) + 1)
    this.#endsLine = endsLine
    const kind = this.#withdrawDebris() ?? 'torn'
    // Only bytes after this process's own receipts are explained. `parley audit` is to find all others.
    const isOurs = last === undefined ? this.#hash === undefined : last.hash === this.#hash
    if (debris.length === 0 || !isOurs) return
    this.#waiting.unshift({ time: this.#now, kind, bytes: debris.length, digest: digestOf(debris) })
    this.#tried++
  }

  /** Removes the entry about leftover bytes, because it was not written and there may be more bytes now. */
  #withdrawDebris(): 'torn' | 'changed' | undefined {
    const [first] = this.#waiting
    if (first?.kind !== 'torn' && first?.kind !== 'changed') return undefined
    this.#waiting.shift()
    this.#tried--
    return first.kind
  }

  #rest(error: unknown): void {
    this.#counts.failed()
    if (!this.#failing) {
      const waiting = `receipts wait, ${MAX_WAITING_RECEIPTS} at most, and calls go on`
      this.#log.error(
        `The audit file ${this.#path} cannot be written (${reasonOf(error)}): ${waiting}; the file says how many were lost once it is written again`,
      )
    }
    this.#failing = true
    const cancel = this.#clock.after(RETRY_DELAY_MS, () => this.#wakeUp())
    this.#resting = cancel
  }

  #wakeUp(): void {
    this.#resting?.()
    this.#resting = undefined
    this.#begin()
  }

  #lose(count: number): void {
    this.#counts.lost(count)
    const latest = this.#waiting.at(-1)
    // An entry that may be in the file does not change.
    if (latest?.kind === 'lost' && this.#waiting.length > this.#tried) latest.count += count
    else this.#waiting.push({ time: this.#now, kind: 'lost', count })
  }

  #tellNowAndThen(): void {
    this.#stopTelling = this.#clock.after(HASH_LOG_INTERVAL_MS, () => {
      if (this.#number > this.#told) this.#tell()
      this.#tellNowAndThen()
    })
  }

  #tell(): void {
    this.#told = this.#number
    this.#log.info(`Audit: ${this.#number} receipts in ${this.#path}, the last hash is ${this.#hash}`, {
      receipts: this.#number,
      hash: this.#hash,
    })
  }
}
