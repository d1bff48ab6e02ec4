/** A disk that does what a test wants, and receipts to put on it. */
import { createHash } from 'node:crypto'
import type { Clock } from 'parley-mcp/engine'
import type { GatewayLog } from '../log/index.ts'
import type { AuditStorage } from './audit-file.ts'
import { AuditLog, type AuditLogOptions } from './audit-log.ts'
import type { Tail } from './file-end.ts'
import type { AuditEntry } from './receipt.ts'
import { auditLines, type Verdict, type VerifyOptions, verifyAudit } from './verify.ts'

export class MemoryDisk implements AuditStorage {
  bytes = Buffer.alloc(0)
  /** Bytes that still fit. */
  room = Number.POSITIVE_INFINITY
  attempts = 0

  async tail(): Promise<Tail> {
    return { bytes: this.bytes, whole: true }
  }

  async append(text: string): Promise<void> {
    this.attempts++
    const given = Buffer.from(text)
    const taken = given.subarray(0, this.room)
    this.room -= taken.length
    this.bytes = Buffer.concat([this.bytes, taken])
    if (taken.length < given.length) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  }

  async sync(): Promise<void> {}

  get lines(): Record<string, unknown>[] {
    return this.bytes
      .toString()
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line))
  }
}

/** Time stands still until it is told to go on. */
export class StillClock implements Clock {
  time = Date.UTC(2026, 0, 1)
  #tasks = new Set<{ at: number; task: () => void }>()

  now(): number {
    return this.time
  }

  after(ms: number, task: () => void): () => void {
    const entry = { at: this.time + ms, task }
    this.#tasks.add(entry)
    return () => this.#tasks.delete(entry)
  }

  pass(ms: number): void {
    this.time += ms
    for (const entry of [...this.#tasks]) {
      if (entry.at > this.time) continue
      this.#tasks.delete(entry)
      entry.task()
    }
  }
}

export interface Said {
  readonly log: GatewayLog
  readonly words: string[]
}

export function listening(): Said {
  const words: string[] = []
  const at = (severity: string) => (message: string) => void words.push(`${severity}: ${message}`)
  return { words, log: { debug: at('debug'), info: at('info'), warning: at('warning'), error: at('error') } }
}

export const openOn = (disk: MemoryDisk, options: AuditLogOptions = {}): Promise<AuditLog> =>
  AuditLog.open('audit.jsonl', { clock: new StillClock(), ...options, storage: disk })

export const request = (method: string, more: object = {}): AuditEntry =>
  ({ kind: 'request', ms: 1, server: 'notes', method, outcome: 'ok', ...more }) as AuditEntry

/** A file with that many receipts of requests, closed. */
export async function diskWith(count: number): Promise<MemoryDisk> {
  const disk = new MemoryDisk()
  const audit = await openOn(disk)
  for (let n = 0; n < count; n++) audit.write(request(`tools/call`, { target: `tool-${n}`, ms: n }))
  await audit.close()
  return disk
}

export function verified(bytes: Uint8Array, options?: VerifyOptions): Promise<Verdict> {
  async function* chunks(): AsyncIterable<Uint8Array> {
    // In pieces of any size, as a file is read.
    for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000)
  }
  return verifyAudit(auditLines(chunks()), options)
}

/** Computed independently. */
export const sha256 = (text: string): string => `sha256-${createHash('sha256').update(text).digest('hex')}`
