/** G, O: receipts are written in order, go on after every kind of end, and cost no call anything. */
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { diskWith, listening, MemoryDisk, openOn, request, StillClock, sha256, verified } from './audit.fixtures.ts'
import { type AuditCounts, AuditLog } from './audit-log.ts'

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-audit-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

function counting(): AuditCounts & { seen: { written: number; lost: number; failed: number } } {
  const seen = { written: 0, lost: 0, failed: 0 }
  return {
    seen,
    written: (count) => {
      seen.written += count
    },
    lost: (count) => {
      seen.lost += count
    },
    failed: () => {
      seen.failed++
    },
  }
}

const kinds = ({ lines }: MemoryDisk): unknown[] => lines.map(({ kind }) => kind)

describe('G the audit file', () => {
  it('what happens at once is written at once, in its order', async () => {
    const disk = new MemoryDisk()
    const audit = await openOn(disk)
    for (let n = 0; n < 100; n++) audit.write(request(`method-${n}`))
    await audit.settled()
    expect(disk.attempts).toBe(1)
    expect(disk.lines.map(({ method }) => method)).toEqual(Array.from({ length: 100 }, (_, n) => `method-${n}`))
    expect(audit.last).toEqual({ number: 100, hash: disk.lines.at(-1)?.['hash'] })
  })

  it('goes on behind its last line, and the log says the last hash at the end and every hour', async () => {
    const disk = await diskWith(3)
    const { log, words } = listening()
    const clock = new StillClock()
    const audit = await openOn(disk, { log, clock })
    audit.write(request('ping'))
    await audit.settled()
    clock.pass(3_600_000)
    clock.pass(3_600_000)
    expect(words).toEqual([`info: Audit: 5 receipts in audit.jsonl, the last hash is ${audit.last.hash}`])
    await audit.close()
    expect(words[1]).toBe(`info: Audit: 6 receipts in audit.jsonl, the last hash is ${disk.lines.at(-1)?.['hash']}`)
    expect(await verified(disk.bytes, { expected: audit.last.hash })).toMatchObject({ unbroken: true, receipts: 6 })
  })

  it('a line without its end stays, and the next one tells of it', async () => {
    for (const cut of [1, 2, 50, 200]) {
      const disk = await diskWith(2)
      const before = disk.bytes.subarray(0, disk.bytes.length - cut)
      disk.bytes = Buffer.from(before)
      const { log, words } = listening()
      const audit = await openOn(disk, { log })
      audit.write(request('ping'))
      await audit.close()
      expect(disk.bytes.subarray(0, before.length).equals(before)).toBe(true)
      // Without the line break alone, nothing is missing.
      expect(await verified(disk.bytes)).toMatchObject({ unbroken: true, torn: cut === 1 ? 0 : 1 })
      expect(words.some((word) => /^warning: .*never written to its end/.test(word))).toBe(cut > 1)
      const debris = before.subarray(before.lastIndexOf(10) + 1).toString()
      if (cut > 1)
        expect(disk.lines[2]).toMatchObject({ kind: 'torn', bytes: debris.length, digest: sha256(debris), number: 3 })
    }
  })

  it('crashes while it tells of a crash are told of, too', async () => {
    const disk = await diskWith(2)
    disk.bytes = disk.bytes.subarray(0, -5)
    for (const cut of [3, 40, 100]) {
      await (await openOn(disk)).settled()
      disk.bytes = disk.bytes.subarray(0, -cut)
    }
    await (await openOn(disk)).close()
    expect(await verified(disk.bytes)).toMatchObject({ unbroken: true, torn: 4 })
  })

  it('a last line that was changed stays, is an error in the log, and is found', async () => {
    const disk = await diskWith(2)
    disk.bytes = Buffer.from(disk.bytes.toString().replace(/"kind":"end"/, '"kind":"eve"'))
    const { log, words } = listening()
    const audit = await openOn(disk, { log })
    await audit.close()
    expect(words[0]).toMatch(/^error: The last line of the audit file audit.jsonl is not as it was written/)
    expect(kinds(disk)).toEqual(['request', 'request', 'eve', 'changed', 'end'])
    expect(await verified(disk.bytes)).toMatchObject({
      unbroken: false,
      wrong: { line: 3, why: expect.stringContaining('was changed') },
    })
  })

  it('what is no audit file is left as it is', async () => {
    const disk = new MemoryDisk()
    disk.bytes = Buffer.from('{ "mcpServers": {} }\n')
    await expect(openOn(disk)).rejects.toThrow(/audit.jsonl is not an audit file/)
  })

  it('a file that was moved away is begun again, and says what it continues', async () => {
    const disk = new MemoryDisk()
    const audit = await openOn(disk)
    audit.write(request('ping'))
    await audit.settled()
    const { hash } = audit.last
    disk.bytes = Buffer.alloc(0)
    await audit.close()
    expect(await verified(disk.bytes)).toMatchObject({ unbroken: true, continues: hash })
  })
})

describe('G a disk that is full', () => {
  it('costs nothing that fits into memory: said once, counted, and what was written in part is told of', async () => {
    for (const room of [0, 1, 700]) {
      const disk = await diskWith(1)
      const [clock, { log, words }, counts] = [new StillClock(), listening(), counting()]
      const audit = await openOn(disk, { clock, log, counts })
      disk.room = room
      for (let n = 0; n < 5; n++) audit.write(request(`method-${n}`))
      await audit.settled()
      for (let again = 0; again < 3; again++) {
        clock.pass(1000)
        await audit.settled()
      }
      expect(counts.seen.failed).toBe(4)
      expect(words.filter((word) => word.startsWith('error'))).toEqual([
        expect.stringMatching(/cannot be written \(ENOSPC\)/),
      ])
      disk.room = Number.POSITIVE_INFINITY
      clock.pass(1000)
      await audit.close()
      expect(disk.lines.flatMap(({ method }) => method ?? []).slice(1)).toEqual(
        [0, 1, 2, 3, 4].map((n) => `method-${n}`),
      )
      expect(await verified(disk.bytes)).toMatchObject({ unbroken: true, lost: 0, torn: room === 0 ? 0 : 1 })
      expect(words).toContain('warning: The audit file audit.jsonl is written again')
      expect(counts.seen.written).toBe(disk.lines.length - 2)
    }
  })

  it('more than fits is lost, and the file says how much and where', async () => {
    const disk = new MemoryDisk()
    disk.room = 0
    const [clock, counts] = [new StillClock(), counting()]
    const audit = await openOn(disk, { clock, counts })
    for (let n = 0; n < 10_007; n++) audit.write(request(`method-${n}`))
    await audit.settled()
    disk.room = Number.POSITIVE_INFINITY
    clock.pass(1000)
    await audit.settled()
    audit.write(request('later'))
    await audit.close()
    expect(counts.seen.lost).toBe(7)
    expect(disk.lines.slice(-3).map(({ kind, count, method }) => [kind, count ?? method])).toEqual([
      ['lost', 7],
      ['request', 'later'],
      ['end', undefined],
    ])
    expect(await verified(disk.bytes)).toMatchObject({ unbroken: true, lost: 7, receipts: 10_003 })
  })

  it('that stays full to the end keeps nobody waiting', async () => {
    const disk = new MemoryDisk()
    disk.room = 10
    const { log, words } = listening()
    const audit = await openOn(disk, { log })
    audit.write(request('ping'))
    await audit.close()
    expect(words.some((word) => /^error: Audit: \d+ receipts could not be written .* lost/.test(word))).toBe(true)
  })
})

describe('G the audit file on disk', () => {
  it('is for its owner alone, and is written by one gateway at a time', async () => {
    const file = join(await emptyFolder(), 'audit.jsonl')
    const audit = await AuditLog.open(file)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    await expect(AuditLog.open(file)).rejects.toThrow(/written by another gateway, process \d+: end that one/)
    audit.write(request('ping'))
    await audit.close()
    const next = await AuditLog.open(file)
    await next.close()
    expect(await verified(await readFile(file))).toMatchObject({ unbroken: true, receipts: 3 })
    await expect(stat(`${file}.lock`)).rejects.toThrow('ENOENT')
  })

  it('takes over from processes that are gone, also where another has their id now', async () => {
    const file = join(await emptyFolder(), 'audit.jsonl')
    const gone = [
      { pid: 2 ** 22 + 1 },
      { pid: process.ppid, began: 'before' },
      { pid: process.pid, began: 'before' },
    ].map((holder) => JSON.stringify(holder))
    for (const left of [...gone, '', '{"pid":']) {
      await writeFile(`${file}.lock`, left)
      await (await AuditLog.open(file)).close()
    }
  })

  it('in a folder that is not there, or in place of a folder, is a clear error', async () => {
    const folder = await emptyFolder()
    await expect(AuditLog.open(join(folder, 'missing', 'audit.jsonl'))).rejects.toThrow(
      /folder of the audit file .* is not there; make it/,
    )
    await expect(AuditLog.open(folder)).rejects.toThrow(/is not a file; name another one/)
  })
})
