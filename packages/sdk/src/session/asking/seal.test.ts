import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { MAX_TOKEN, paramsDigest, Seal, type SealKey } from './seal.ts'

const OLD = 'an old secret of some length'
const NEW = new Uint8Array(32).fill(7)
const SIGNS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
const binaryOf = (token: string): string => atob(token.slice(3).replaceAll('-', '+').replaceAll('_', '/'))
const bytesOf = (token: string): Uint8Array => Uint8Array.from(binaryOf(token), (sign) => sign.charCodeAt(0))

describe('D-06 a sealed token', () => {
  it('gives back what was sealed', async () => {
    const seal = new Seal(OLD)
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async (generated) => {
        const payload = JSON.parse(JSON.stringify(generated))
        const token = await seal.seal(payload)
        expect(token).toMatch(/^v1\.[\w-]+$/)
        expect(await seal.open(token)).toEqual(payload)
      }),
    )
  })

  it('shows nothing of its contents, and is another each time', async () => {
    const seal = new Seal(OLD)
    const [one, two] = [await seal.seal({ who: 'Ann the Great' }), await seal.seal({ who: 'Ann the Great' })]
    expect(binaryOf(one)).not.toContain('Ann')
    expect(one).not.toBe(two)
    expect(bytesOf(one)).toHaveLength(12 + JSON.stringify({ who: 'Ann the Great' }).length + 16)
  })

  it('is worthless once a single bit of it is changed', async () => {
    const seal = new Seal(OLD)
    const bytes = bytesOf(await seal.seal({ who: 'Ann' }))
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const forged = Uint8Array.from(bytes)
      forged[bit >> 3] = (forged[bit >> 3] as number) ^ (1 << (bit & 7))
      expect(await seal.open(`v1.${base64url(forged)}`)).toBeUndefined()
    }
  })

  it('has one spelling', async () => {
    const seal = new Seal(OLD)
    // 12 + 7 + 16 bytes leave two bits of the last sign unused.
    const token = await seal.seal({ a: 1 })
    const last = SIGNS.indexOf(token.at(-1) as string)
    const strays = [1, 2, 3].map((stray) => token.slice(0, -1) + SIGNS[last ^ stray])
    for (const spelling of [
      ...strays,
      `${token}=`,
      `${token}==`,
      ` ${token}`,
      `${token}\n`,
      `${token.slice(0, 9)} ${token.slice(9)}`,
    ]) {
      expect(await seal.open(spelling)).toBeUndefined()
    }
    expect(await seal.open(token)).toEqual({ a: 1 })
  })

  it.each([
    [undefined],
    [null],
    [7],
    [{}],
    [['v1.AAAA']],
    [''],
    ['v1'],
    ['v1.'],
    ['v2.AAAA'],
    ['v1.A'],
    ['v1.äöü'],
    ['v1.+/+/'],
    [`v1.${'A'.repeat(36)}`],
    [`v1.${'A'.repeat(38)}`],
    [`v1.${'A'.repeat(MAX_TOKEN)}`],
  ])('%j is none', async (token) => {
    expect(await new Seal(OLD).open(token as string)).toBeUndefined()
  })

  it('no text whatever makes it throw', async () => {
    const seal = new Seal(OLD)
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string().map((rest) => `v1.${rest}`),
      fc.uint8Array().map((bytes) => `v1.${base64url(bytes)}`),
    )
    await fc.assert(fc.asyncProperty(text, async (token) => (await seal.open(token)) === undefined))
  })

  it.each([[[1]], ['text'], [null], [7]])('opens to an object or not at all: %j', async (payload) => {
    const seal = new Seal(OLD)
    expect(await seal.open(await seal.seal(payload as never))).toBeUndefined()
  })

  it('is never made so long that it could not be read', async () => {
    const seal = new Seal(OLD)
    const room = Math.floor(((MAX_TOKEN - 3) * 3) / 4) - 28 - '{"x":""}'.length
    const longest = await seal.seal({ x: 'x'.repeat(room) })
    expect(longest.length).toBeLessThanOrEqual(MAX_TOKEN)
    expect(await seal.open(longest)).toEqual({ x: 'x'.repeat(room) })
    await expect(seal.seal({ x: 'x'.repeat(room + 1) })).rejects.toThrow('The state to keep has')
    await expect(seal.seal({ x: 'ü'.repeat(room / 2 + 1) })).rejects.toThrow('The state to keep has')
  })
})

describe('D-06 the keys of a seal', () => {
  it('are the same for all that know them', async () => {
    expect(await new Seal([OLD]).open(await new Seal(OLD).seal({ a: 1 }))).toEqual({ a: 1 })
    expect(await new Seal(Uint8Array.from(NEW)).open(await new Seal(NEW).seal({ a: 1 }))).toEqual({ a: 1 })
    expect(await new Seal(new TextEncoder().encode(OLD)).open(await new Seal(OLD).seal({ a: 1 }))).toEqual({ a: 1 })
  })

  it('can be changed: the first one seals, all of them open', async () => {
    const [before, during, after] = [new Seal(OLD), new Seal([NEW, OLD]), new Seal([NEW])]
    expect(await during.open(await before.seal({ a: 1 }))).toEqual({ a: 1 })
    expect(await after.open(await during.seal({ a: 2 }))).toEqual({ a: 2 })
    expect(await before.open(await during.seal({ a: 2 }))).toBeUndefined()
    expect(await after.open(await before.seal({ a: 1 }))).toBeUndefined()
  })

  it('are random when there are none', async () => {
    const [one, two] = [new Seal(), new Seal()]
    const token = await one.seal({ a: 1 })
    expect([await one.open(token), await two.open(token)]).toEqual([{ a: 1 }, undefined])
  })

  it('do not change when their bytes do', async () => {
    const bytes = Uint8Array.from(NEW)
    const seal = new Seal(bytes)
    bytes.fill(0)
    expect(await new Seal(NEW).open(await seal.seal({ a: 1 }))).toEqual({ a: 1 })
  })

  it.each<[unknown, RegExp]>([
    ['fifteen letters', /^asking\.key must have at least 16 characters$/],
    ['', /at least 16 characters/],
    [new Uint8Array(15), /^asking\.key must have at least 16 bytes$/],
    [[OLD, 'short'], /at least 16 characters/],
    [[], /at least one/],
    [null, /a secret or a list/],
    [7, /a secret or a list/],
    [[undefined], /must be a string or bytes/],
    [[[OLD]], /must be a string or bytes/],
  ])('%j is refused at once, without showing it', (keys, message) => {
    expect(() => new Seal(keys as SealKey)).toThrow(message)
  })

  it('are not derived again for each token', async () => {
    const derive = vi.spyOn(crypto.subtle, 'deriveKey')
    onTestFinished(() => derive.mockRestore())
    const seal = new Seal([NEW, OLD])
    expect(derive).not.toHaveBeenCalled()
    const tokens = await Promise.all([seal.seal({}), seal.seal({}), seal.seal({})])
    await Promise.all(tokens.map((token) => seal.open(token)))
    expect(derive).toHaveBeenCalledTimes(2)
  })
})

describe('D-20 the digest of a request', () => {
  it('is that of its canonical JSON', async () => {
    // SHA-256 of {"arguments":{"a":[1,{"x":null,"y":"ü"}],"b":-0.5},"name":"add"}
    const params = { name: 'add', arguments: { b: -0.5, c: undefined, a: [1, { y: 'ü', x: null }] } }
    expect(await paramsDigest(params)).toBe('_dXh7gloRSy6o44S8BkJ7IU93aOpWGf570esjFWexy8')
  })

  it('does not see what differs between a request and its repetition', async () => {
    const params = { name: 'add', arguments: { a: 1 } }
    const repeated = {
      requestState: 'v1.x',
      _meta: { progressToken: 1 },
      ...params,
      inputResponses: { who: {} },
      task: { ttl: 1 },
    }
    expect(await paramsDigest(repeated)).toBe(await paramsDigest(params))
    expect(await paramsDigest({ ...params, arguments: { a: 1, _meta: {} } })).not.toBe(await paramsDigest(params))
  })

  it('is the same in any order of keys, and another for another value', async () => {
    const turned = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(turned)
      if (typeof value !== 'object' || value === null) return value
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([key, inner]) => [key, turned(inner)]),
      )
    }
    const values = fc
      .tuple(fc.jsonValue(), fc.jsonValue())
      .map((pair) => JSON.parse(JSON.stringify(pair)) as [unknown, unknown])
    await fc.assert(
      fc.asyncProperty(values, async ([one, two]) => {
        const digest = await paramsDigest({ arguments: one })
        expect(await paramsDigest({ arguments: turned(one) })).toBe(digest)
        expect((await paramsDigest({ arguments: two })) === digest).toBe(equal(one, two))
      }),
    )
  })

  it.each([
    [{ a: '1' }, { a: 1 }],
    [{ a: [] }, { a: {} }],
    [{ a: [1, 2] }, { a: [2, 1] }],
    [{ a: [[1], 2] }, { a: [[1, 2]] }],
    [{ a: null }, {}],
    [{ a: { b: 1 }, c: 2 }, { a: { b: 1, c: 2 } }],
  ])('tells %j from %j', async (one, two) => {
    expect(await paramsDigest(one)).not.toBe(await paramsDigest(two))
  })

  it('takes any depth', async () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
    expect(await paramsDigest({ arguments: deep })).toHaveLength(43)
  })
})

function equal(one: unknown, two: unknown): boolean {
  try {
    expect(one).toEqual(two)
    return true
  } catch {
    return false
  }
}
