/** G, O: whatever is done to an audit file afterwards is found. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diskWith, MemoryDisk, openOn, request, sha256, verified } from './audit.fixtures.ts'

const COUNT = 12
const disk = await diskWith(COUNT)
const whole = disk.bytes
const lines = whole.toString().split('\n').slice(0, -1)
const last = disk.lines.at(-1)?.['hash'] as string
const joined = (kept: readonly string[]): Buffer => Buffer.from(kept.map((line) => `${line}\n`).join(''))
const someLine = fc.nat(lines.length - 1)

describe('G the chain of receipts', () => {
  it('is unbroken as it was written, and tells from when to when', async () => {
    const time = '2026-01-01T00:00:00.000Z'
    expect(await verified(whole, { expected: last })).toEqual({
      unbroken: true,
      receipts: COUNT + 1,
      lost: 0,
      torn: 0,
      from: time,
      to: time,
      hash: last,
    })
  })

  it('each hash is over the line without it, keys sorted, and the one before is named', () => {
    let previous: unknown = null
    for (const [at, line] of lines.entries()) {
      const { hash, ...said } = JSON.parse(line) as Record<string, unknown>
      expect(said['previous']).toBe(previous)
      expect(said['number']).toBe(at + 1)
      expect(hash).toBe(sha256(line.replace(`"hash":"${hash}",`, '')))
      previous = hash
    }
  })

  it('any other byte anywhere is found, and where', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), async (at, difference) => {
        const changed = Buffer.from(whole)
        changed[at] = (changed[at] as number) ^ difference
        const { unbroken, wrong } = await verified(changed, { expected: last })
        expect(unbroken).toBe(false)
        expect(wrong?.line).toBe(whole.subarray(0, at).toString().split('\n').length)
      }),
      { numRuns: 300 },
    )
  })

  it('a line that is removed is found: at the end by a hash that was kept elsewhere, at the beginning by what the file continues', async () => {
    await fc.assert(
      fc.asyncProperty(someLine, fc.integer({ min: 1, max: 3 }), async (at, count) => {
        const { unbroken, continues, wrong } = await verified(joined(lines.toSpliced(at, count)), { expected: last })
        if (at === 0) expect(continues).toBe(JSON.parse(lines[count - 1] as string).hash)
        else expect([unbroken, wrong?.line]).toEqual([false, at + 1])
      }),
    )
  })

  it('a line that is there twice is found', async () => {
    await fc.assert(
      fc.asyncProperty(someLine, fc.nat(lines.length), async (from, to) => {
        const { unbroken } = await verified(joined(lines.toSpliced(to, 0, lines[from] as string)), { expected: last })
        expect(unbroken).toBe(false)
      }),
    )
  })

  it('lines that have changed places are found', async () => {
    await fc.assert(
      fc.asyncProperty(someLine, someLine, async (one, other) => {
        fc.pre(one !== other)
        const swapped = lines.with(one, lines[other] as string).with(other, lines[one] as string)
        expect((await verified(joined(swapped), { expected: last })).unbroken).toBe(false)
      }),
    )
  })

  it('a line that is written in another way is found, though it says the same', async () => {
    for (const other of [
      (line: string) => line.replace(':', ': '),
      (line: string) => line.replace('tools/call', 'tools\\/call'),
    ]) {
      const { wrong } = await verified(joined(lines.with(3, other(lines[3] as string))))
      expect(wrong).toEqual({ line: 4, why: expect.stringContaining('was changed') })
    }
  })

  it('says what can be told: changed, missing, once more, moved, cut', async () => {
    const why = async (kept: readonly string[]): Promise<unknown> =>
      (await verified(joined(kept), { expected: last })).wrong
    expect(await why(lines.with(1, (lines[1] as string).replace('tool-1', 'tool-9')))).toEqual({
      line: 2,
      why: expect.stringContaining('was changed'),
    })
    expect(await why(lines.toSpliced(4, 2))).toEqual({ line: 5, why: expect.stringContaining('2 lines are missing') })
    expect(await why(lines.toSpliced(4, 0, lines[3] as string))).toEqual({
      line: 5,
      why: expect.stringContaining('once more'),
    })
    expect(await why(lines.toSpliced(6, 0, lines[2] as string))).toEqual({
      line: 7,
      why: expect.stringContaining('inserted, or moved'),
    })
    expect(await why(lines.slice(0, -1))).toEqual({ line: COUNT + 1, why: expect.stringContaining('is missing') })
    const cut = await verified(whole.subarray(0, -10))
    expect(cut.wrong).toEqual({ line: COUNT + 1, why: expect.stringContaining('has no end') })
  })

  it('of a line that was never written to its end, what is left cannot be changed or removed', async () => {
    const torn = new MemoryDisk()
    torn.bytes = whole.subarray(0, -20)
    await (await openOn(torn)).close()
    const kept = torn.bytes.toString().split('\n').slice(0, -1)
    expect(await verified(joined(kept))).toMatchObject({ unbroken: true, torn: 1 })
    expect((await verified(joined(kept.toSpliced(COUNT, 1)))).wrong).toEqual({
      line: COUNT + 1,
      why: expect.stringContaining('not there any more'),
    })
    expect((await verified(joined(kept.with(COUNT, 'other')))).wrong).toEqual({
      line: COUNT + 1,
      why: expect.stringContaining('was changed'),
    })
  })

  it('a chain that was made anew from the beginning is known by the hash that was kept', async () => {
    const forged = new MemoryDisk()
    const audit = await openOn(forged)
    audit.write(request('tools/call', { target: 'another' }))
    await audit.close()
    expect((await verified(forged.bytes)).unbroken).toBe(true)
    expect((await verified(forged.bytes, { expected: last })).wrong?.why).toContain('written anew')
  })

  it('no bytes are unbroken, and any other bytes are not', async () => {
    expect(await verified(Buffer.alloc(0))).toEqual({ unbroken: true, receipts: 0, lost: 0, torn: 0 })
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 3000 }), async (bytes) => {
        expect((await verified(bytes)).unbroken).toBe(false)
      }),
      { numRuns: 50 },
    )
    expect((await verified(Buffer.from('['.repeat(200_000)))).wrong?.line).toBe(1)
  })
})
