/** G: the audit file of a real gateway that is killed in the middle of its work. */
import { existsSync, readFileSync } from 'node:fs'
import { appendFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Verdict, verifyAuditFile } from '../src/index.ts'
import { Running, until } from './running.fixtures.ts'

let running: Running
let audit: string

beforeEach(async () => {
  running = new Running()
  audit = join(await running.folder(), 'audit.jsonl')
})
afterEach(() => running.clear())

const called = (): number =>
  existsSync(audit) ? readFileSync(audit, 'utf8').split('"method":"tools/call"').length - 1 : 0

describe('G kill -9 of a gateway that keeps receipts', () => {
  it('leaves receipts of what was answered; the next gateway takes over, and the chain is whole', async () => {
    const first = await running.gateway({ notes: {} }, { audit })
    const client = await running.client(first, 'notes', '2025-11-25')
    // Until the first that is not answered.
    const calling = (async () => {
      for (let turn = 0; ; turn++) await client.call('echo', { text: `turn ${turn}` })
    })().catch(() => {})
    await until(called, (calls) => calls > 50)
    first.child.kill('SIGKILL')
    await first.ended
    await client.close()
    await calling
    // As if the last write had not come to its end.
    await appendFile(audit, '{"client":{"name":"to')
    expect(await stat(`${audit}.lock`)).toBeDefined()
    const before = called()

    const second = await running.gateway({ notes: {} }, { audit })
    const other = await running.client(second, 'notes', '2026-07-28')
    expect((await other.call('echo', { text: 'again' })).text).toBe('again')
    await until(called, (calls) => calls > before)
    await expect(running.gateway({ notes: {} }, { audit })).rejects.toThrow(/written by another gateway, process \d+/)
    second.child.kill('SIGTERM')
    await second.ended
    const verdict: Verdict = await verifyAuditFile(audit)
    expect(verdict).toMatchObject({ unbroken: true, torn: 1, lost: 0 })
    expect(second.words).toContain(verdict.hash)
    expect(readFileSync(audit, 'utf8')).toContain('{"client":{"name":"to\n')
    await expect(stat(`${audit}.lock`)).rejects.toThrow('ENOENT')
  })
})
