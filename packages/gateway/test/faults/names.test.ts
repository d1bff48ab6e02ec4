/** Names, lists and schemas that nobody expects, and keys that mean something to JavaScript. */
import { describe, it } from 'vitest'
import { expect, failureOf, faulty, names, perTest, shared, soon, textOf } from './faults.fixtures.ts'
import { modern, post, shakeHands } from './raw.fixtures.ts'

const ODD = [
  'with space',
  'emoji 🦜',
  'x'.repeat(300),
  '__proto__',
  'constructor',
  'a__b',
  '',
  'UPPER',
  '../etc/passwd',
  'nul\u0000l',
]
const LONG = 'x'.repeat(100_000)
const RIGHT = /^[A-Za-z0-9_.-]{1,64}$/

describe.each(['2025-11-25', '2026-07-28'] as const)('G names of tools, client of %s', (version) => {
  const rig = perTest()

  it('odd ones are shown under names every client takes, and lead back', async () => {
    await rig.start({ odd: { ...faulty('--tools=odd'), session: 'shared' } })
    const client = await rig.client(undefined, version)
    const listed = names(await soon(client.tools()))
    for (const name of listed) expect(name).toMatch(RIGHT)
    expect(new Set(listed).size).toBe(listed.length)
    const said = await soon(
      Promise.all(listed.filter((name) => !/__(?!proto|constructor)/.test(name)).map((name) => textOf(client, name))),
    )
    for (const name of ['with space', 'emoji 🦜', 'x'.repeat(300)]) expect(said).toContain(`called ${name}`)
    expect(await textOf(client, 'odd__constructor')).toBe('called constructor')
  })

  it('on its own address they are untouched', async () => {
    await rig.start({ odd: { ...faulty('--tools=odd'), session: 'shared' } })
    const client = await rig.client('odd', version)
    const listed = names(await soon(client.tools()))
    for (const name of ODD) expect(listed).toContain(name)
    for (const name of ODD.filter((each) => each !== '')) expect(await textOf(client, name)).toBe(`called ${name}`)
  })

  it('10 000 tools are all there, each once', async () => {
    await rig.start({ many: faulty('--tools=10000'), good: faulty() })
    const client = await rig.client(undefined, version)
    const listed = names(await soon(client.tools()))
    expect(listed.filter((name) => name.startsWith('many__tool-'))).toHaveLength(10_000)
    expect(new Set(listed).size).toBe(listed.length)
    expect(listed).toContain('good__echo')
    expect(await textOf(client, 'many__tool-9999')).toBe('called tool-9999')
  })

  it('tools with invalid schemas or without a name do not take the others with them', async () => {
    await rig.start({ bad: { ...faulty('--invalid-tools'), session: 'shared' }, good: faulty() })
    for (const [at, prefix] of [
      [undefined, 'bad__'],
      ['bad', ''],
    ] as const) {
      const client = await rig.client(at, version)
      const listed = names(await soon(client.tools()))
      expect(listed).toContain(`${prefix}echo`)
      expect(await soon(textOf(client, `${prefix}echo`, { text: 'well' }))).toBe('well')
      expect(await soon(textOf(client, `${prefix}deep-schema`))).toBe('called deep-schema')
    }
  })

  it('a list that is none, and one that never ends', async () => {
    await rig.start({ none: faulty('--no-tools'), endless: faulty('--endless'), good: faulty() })
    const client = await rig.client(undefined, version)
    expect(names(await soon(client.tools()))).toContain('good__echo')
    expect((await soon(client.prompts())).length).toBeLessThanOrEqual(1001)
    const alone = await rig.client('none', version)
    expect(await soon(failureOf(alone.tools()))).toBeInstanceOf(Error)
    expect(await textOf(alone, 'echo', { text: 'well' })).toBe('well')
  })
})

describe('keys that mean something to JavaScript', () => {
  const rig = shared({ files: { ...faulty('--tools=1'), session: 'shared' } })
  const HOSTILE = '{"__proto__":{"polluted":"yes"},"constructor":{"prototype":{"polluted":"yes"}},"text":"plain"}'

  it('in the arguments of a call: what is harmless arrives, and nothing here changes', async () => {
    const session = await shakeHands(rig.address('files'))
    const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"params","arguments":${HOSTILE},"__proto__":{"name":"echo"}}}`
    const headers = { 'mcp-session-id': session.id, 'mcp-protocol-version': '2025-06-18' }
    const { body } = await soon(post(rig.address('files'), text, { headers }))
    expect(body.result?.content?.[0]?.text).toContain('"text":"plain"')
    expect(body.result?.content?.[0]?.text).toContain('"name":"params"')
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('as method %s: -32601', async (method) => {
    for (const url of [rig.address(), rig.address('files')]) {
      expect((await soon(modern(url, method))).body.error).toMatchObject({ code: -32601 })
      const session = await shakeHands(url)
      expect((await soon(session.request(method))).body.error).toMatchObject({ code: -32601 })
    }
  })

  it.each(['__proto__', 'constructor', 'files____proto__', 'files__', '__', '', LONG])(
    'as the name of a tool: %s',
    async (name) => {
      const session = await shakeHands(rig.address())
      const { body } = await soon(session.request('tools/call', { name, arguments: {} }))
      // A name that could be one is the server's to judge.
      if (name === 'files____proto__') expect(body.result?.content?.[0]?.text).toBe('called __proto__')
      else
        expect(body.error).toMatchObject({
          code: -32602,
          message: expect.stringMatching(/^Unknown tool|"params.name" is too long/),
        })
    },
  )

  it.each([7, null, {}, ['files__echo'], true])('as the name of a tool: %j', async (name) => {
    const session = await shakeHands(rig.address())
    expect((await soon(session.request('tools/call', { name, arguments: {} }))).body.error).toMatchObject({
      code: -32602,
    })
  })

  it.each(['__proto__', 'constructor', 'parley://__proto__', LONG, 'file:///../../etc/passwd', '\u0000'])(
    'as a URI: %s',
    async (uri) => {
      const session = await shakeHands(rig.address())
      const { body } = await soon(session.request('resources/read', { uri }))
      expect(body.error).toMatchObject({ code: uri === LONG ? -32602 : -32002 })
      expect(body.error?.message.length).toBeLessThan(1000)
    },
  )
})

describe('cursors', () => {
  const rig = shared({ files: faulty() })
  const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

  it.each([
    ['huge', 'A'.repeat(3_000_000)],
    ['made up', 'next'],
    ['no text', 7],
    ['of many servers that are none', encoded({ d: Array.from({ length: 10_000 }, (_, index) => `s${index}`), n: 0 })],
    [
      'with __proto__',
      Buffer.from('{"d":[],"s":"__proto__","c":"x","n":0,"__proto__":{"d":["files"]}}').toString('base64url'),
    ],
    ['that says it is at the end', encoded({ d: [], s: 'files', c: 'x', n: 999_999_999 })],
  ])('%s: an error or a list, at once', async (_, cursor) => {
    const session = await shakeHands(rig.address())
    const { body } = await soon(session.request('tools/list', { cursor }))
    if (body.error === undefined) expect(body.result?.['tools']).toBeInstanceOf(Array)
    else expect(body.error.code).toBe(-32602)
  })
})

describe('depth', () => {
  const rig = shared({ files: faulty() })
  it('arguments as deep as allowed arrive, deeper ones are refused, and a deep result fails that call only', async () => {
    const session = await shakeHands(rig.address('files'))
    const nested = (depth: number): unknown => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`)
    const call = (depth: number) =>
      soon(session.request('tools/call', { name: 'params', arguments: { deep: nested(depth) } }))
    expect((await call(100)).body.result?.content?.[0]?.text).toContain('['.repeat(100))
    expect((await call(1000)).body.error).toMatchObject({ code: -32600 })
    const deep = await soon(session.request('tools/call', { name: 'deep', arguments: { depth: 50_000 } }))
    expect(deep.body.error).toMatchObject({ code: -32603 })
    expect((await call(1)).body.result).toBeDefined()
  })
})
