/**
 * Writes receipts to a file, in their order and behind the back of the calls they tell of: no call waits for the disk,
 * and none fails with it.
 */
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
  /** In place of the file on disk. */
  readonly storage?: AuditStorage
}

/** Receipts that wait for the disk; more are lost, and counted. */
const MAX_WAITING_RECEIPTS = 10_000
const MAX_RECEIPTS_PER_WRITE = 250
/** How long a disk that refuses is left alone. */
const RETRY_DELAY_MS = 1000
/** Whoever can write the file can write all of it anew: what the log of the gateway says of it is kept elsewhere. */
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
  /** How many of the first of them may be in the file already. */
  #tried = 0
  #number = 0
  #hash: string | undefined
  /** Hashes of what was tried last, where it is not known how much of it has arrived. */
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

  /** Goes on where the file ends; throws when it cannot be used. */
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

  /** The receipt that was written last, by which all before it are known. */
  get last(): { readonly number: number; readonly hash: string | undefined } {
    return { number: this.#number, hash: this.#hash }
  }

  write(entry: AuditEntry): void {
    if (this.#closed) return
    if (this.#waiting.length < MAX_WAITING_RECEIPTS) this.#waiting.push({ time: this.#now, ...entry })
    else this.#lose(1)
    this.#begin()
  }

  /** Something happened of which no receipt could be made. */
  missed(cause: unknown): void {
    if (this.#closed) return
    this.#log.error(`Audit: a receipt could not be made: ${cause instanceof Error ? cause.message : String(cause)}`)
    this.#lose(1)
    this.#begin()
  }

  /** Resolves when everything is written, or cannot be. */
  async settled(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing
  }

  /** What waits is written, if it can be; says what the last hash is. */
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
    // What happens at the same moment is written together.
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

  /** A disk that is full takes a part: some lines, and perhaps a piece of the next. */
  async #lookAgain(tried: readonly string[]): Promise<void> {
    const { last, debris, endsLine } = fileEnd(await this.#storage.tail())
    this.#arrived(last === undefined ? 0 : tried.indexOf(last.hash) + 1)
    this.#endsLine = endsLine
    const kind = this.#withdrawDebris() ?? 'torn'
    // Behind what is ours. Anything else is not for us to explain, and not hidden from whoever verifies the file.
    const isOurs = last === undefined ? this.#hash === undefined : last.hash === this.#hash
    if (debris.length === 0 || !isOurs) return
    this.#waiting.unshift({ time: this.#now, kind, bytes: debris.length, digest: digestOf(debris) })
    this.#tried++
  }

  /** What was to be said of the end of the file has not arrived there, and there may be more of it by now. */
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
    // A line that may be in the file stays as it is.
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
