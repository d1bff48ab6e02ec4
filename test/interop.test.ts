/**
 * Parley and published clients and servers, and these among themselves through the gateway: each kind of pair once;
 * `npm run interop` has all pairs.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { root, textOf } from './support/files.ts'
import { plainEnvironment } from './support/shell.ts'

const MINUTE = 60_000
const INITIALIZE =
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}'
const INITIALIZED =
  '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}'

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'c', version: '1' },
}
const DISCOVER = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta: META } })

type Frame = [from: 'ours' | 'theirs', frame: string]

interface Recording {
  add(session: number, ...frame: Frame): void
  flaws(): { ours: string[]; theirs: string[] }
  readonly versions: string[]
  readonly mostQuestions: number
}

async function interop(...args: string[]): Promise<{ code: number; shown: string }> {
  const options = { cwd: root, env: plainEnvironment(), timeout: 5 * MINUTE }
  const {
    code = 0,
    stdout,
    stderr,
  } = await promisify(execFile)(process.execPath, ['interop/run.js', ...args], options).catch((error) => error)
  return { code, shown: `${stderr}${stdout}`.trim() }
}

beforeAll(() => {
  if (!existsSync(join(root, 'packages/sdk/dist/node.js')))
    throw new Error('The peers meet the built package: npm run build')
})

describe('V1 V4 published clients and servers', () => {
  it('get along with Parley, over standard input and output, Streamable HTTP and HTTP+SSE', {
    timeout: 3 * MINUTE,
  }, async () => {
    const { code, shown } = await interop('few')
    expect(shown).not.toContain('FAIL')
    expect(shown).toMatch(/^33 of 33 pairs get along, \d{4} frames$/m)
    for (const transport of ['stdio', 'http', 'sse']) expect(shown).toMatch(new RegExp(`Parley +${transport} `))
    for (const transport of ['stdio', 'http']) {
      expect(shown).toMatch(new RegExp(`SDK 2.4 \\w+ → Parley[ \\w]* ${transport} +2026-07-28 +ok`))
      expect(shown).toMatch(new RegExp(`Parley[ \\w]* → SDK 2.4 \\w+ +${transport} +2026-07-28 +ok`))
    }
    expect(code).toBe(0)
  })

  it('are listed when none has the words', { timeout: MINUTE }, async () => {
    expect(await interop('nobody')).toMatchObject({
      code: 2,
      shown: expect.stringContaining('server-everything server http'),
    })
  })
})

describe('V1 V4 peers of shapes that break other gateways', () => {
  it('get along with Parley, each by its name', { timeout: 5 * MINUTE }, async () => {
    const { code, shown } = await interop('regressions')
    expect(shown).not.toContain('FAIL')
    expect(shown).toMatch(/^68 of 68 regressions hold$/m)
    for (const shape of [
      'exits on server/discover',
      'is silent on server/discover',
      '404 "Invalid session ID" without a session',
      'serves 2026-07-28 only',
      'client sends initialize after server/discover',
    ])
      expect(shown).toContain(shape)
    expect(code).toBe(0)
  })
})

interface Outcomes {
  client: string
  server: string
  outcomes: Record<string, { verdict: string }>
}

interface Matrix {
  expectedOutcomes(): Outcomes[]
  documentOf(results: Outcomes[]): string
}

describe('X1 X3 X5 X6 published clients and servers through the gateway', async () => {
  const module = '../interop/gateway/matrix.js'
  const { expectedOutcomes, documentOf } = (await import(module)) as Matrix

  // Once more, because published servers now and then end by themselves in the middle of it.
  it('get along in every two versions, as is written down', { timeout: 3 * MINUTE, retry: 1 }, async () => {
    const { code, shown } = await interop('gateway', 'few')
    expect(shown).not.toContain('FAIL')
    expect(shown).toMatch(
      /^30 pairs, \d{3} probes ok, \d\d degraded, \d\d refused, 0 failed, \d{4} frames (valid|recorded)$/m,
    )
    for (const over of ['stdio stdio', 'stdio http', 'http stdio', 'http http', 'sse stdio'])
      expect(shown).toContain(` ${over} `)
    expect(code).toBe(0)
  })

  it('are in the document as they are expected to be', () => {
    expect(textOf('docs/compatibility.md')).toBe(documentOf(expectedOutcomes()))
  })

  it('are no document while something fails, differs or is missing', () => {
    const [first, ...rest] = expectedOutcomes()
    const changed = (verdict: string) => ({
      ...(first as Outcomes),
      outcomes: { ...first?.outcomes, call: { verdict } },
    })
    expect(() => documentOf([changed('fail'), ...rest])).toThrow('SDK 1.7.0 → SDK 1.7.0, call: fail')
    expect(() => documentOf([first as Outcomes, changed('degraded'), ...rest])).toThrow('call: ok and degraded')
    expect(() => documentOf(rest)).toThrow('have not met')
  })
})

describe.runIf(process.env['PARLEY_SPEC_SCHEMAS'])('the recording of a meeting', async () => {
  const module = '../interop/record.js'
  const { Recording } = (await import(module)) as { Recording: new () => Recording }

  function recorded(...frames: Frame[]): Recording {
    const recording = new Recording()
    for (const frame of frames) recording.add(1, ...frame)
    return recording
  }

  const flawsOf = (...frames: Frame[]) => recorded(['ours', INITIALIZE], ['theirs', INITIALIZED], ...frames).flaws()

  it('has nothing to say about what is right', () => {
    const flaws = flawsOf(
      ['ours', '{"jsonrpc":"2.0","id":2,"method":"ping"}'],
      ['theirs', '{"jsonrpc":"2.0","id":2,"result":{}}'],
    )
    expect(flaws).toEqual({ ours: [], theirs: [] })
  })

  it.each([
    ['a request without its parameters', '{"jsonrpc":"2.0","id":2,"method":"tools/call"}', /CallToolRequest/],
    ['a message without its version', '{"id":2,"method":"ping"}', /JSONRPCRequest/],
    ['a method of another version', '{"jsonrpc":"2.0","id":2,"method":"server/discover"}', /no such method/],
    ['an answer to nothing', '{"jsonrpc":"2.0","id":7,"result":{}}', /nothing that was asked/],
  ])('finds %s', (_, frame, flaw) => {
    expect(flawsOf(['ours', frame])).toEqual({ ours: [expect.stringMatching(flaw)], theirs: [] })
  })

  it('finds a result that is not what was asked for, and who sent it', () => {
    const flaws = flawsOf(
      ['ours', '{"jsonrpc":"2.0","id":2,"method":"tools/list"}'],
      ['theirs', '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":1}]}}'],
    )
    expect(flaws).toEqual({ ours: [], theirs: [expect.stringContaining('ListToolsResult')] })
  })

  describe('in the stateless era', () => {
    const ask = (id: number, method: string, params: object = {}, meta: object = META): Frame => [
      'ours',
      JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: meta } }),
    ]
    const answer = (id: number, result: object): Frame => ['theirs', JSON.stringify({ jsonrpc: '2.0', id, result })]
    const refusal = (id: number, code: number, data?: object): Frame => [
      'theirs',
      JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: 'no', ...(data && { data }) } }),
    ]
    const question = {
      method: 'elicitation/create',
      params: { message: 'Yes?', requestedSchema: { type: 'object', properties: {} } },
    }
    const asked = (inputRequests: object) =>
      answer(2, { resultType: 'input_required', inputRequests, requestState: 's' })

    it('takes each message for what it says it is', () => {
      const recording = recorded(
        ask(2, 'tools/call', { name: 'x' }),
        answer(2, { resultType: 'complete', content: [] }),
      )
      expect(recording.flaws()).toEqual({ ours: [], theirs: [] })
      expect(recording.versions).toEqual(['2026-07-28'])
    })

    it('does not take a question for what there is to speak as speaking', () => {
      expect(
        recorded(['ours', DISCOVER], refusal(1, -32601), ['ours', INITIALIZE], ['theirs', INITIALIZED]).versions,
      ).toEqual(['2025-11-25'])
      expect(recorded(['ours', DISCOVER]).versions).toEqual([])
    })

    it('goes on where a handshake was refused', () => {
      const notice: Frame = [
        'theirs',
        '{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{}}}',
      ]
      expect(recorded(['ours', DISCOVER], ['ours', INITIALIZE.replace('1', '9')], notice).flaws().theirs).toEqual([])
    })

    it('knows how many questions came together', () => {
      const recording = recorded(ask(2, 'tools/call', { name: 'x' }), asked({ a: question, b: question }))
      expect(recording.mostQuestions).toBe(2)
      expect(recording.flaws()).toEqual({ ours: [], theirs: [] })
    })

    it.each([
      [
        'a request that does not say what its client can do',
        [ask(2, 'tools/list', {}, { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' })],
        'ours',
      ],
      ['a method of another era', [ask(2, 'resources/subscribe', { uri: 'x://y' })], 'ours'],
      ['a result of another era', [ask(2, 'tools/call', { name: 'x' }), answer(2, { content: [] })], 'theirs'],
      [
        'a list that does not say how long it lasts',
        [ask(2, 'tools/list'), answer(2, { resultType: 'complete', tools: [] })],
        'theirs',
      ],
      ['questions where none may be asked', [ask(2, 'tools/list'), asked({ a: question })], 'theirs'],
      ['a question that is none', [ask(2, 'tools/call', { name: 'x' }), asked({ a: { method: 'ping' } })], 'theirs'],
      ['a refusal that does not say what would do', [ask(2, 'tools/list'), refusal(2, -32022)], 'theirs'],
    ] as const)('finds %s', (_, frames, from) => {
      const flaws = recorded(...(frames as unknown as Frame[])).flaws()
      expect(flaws[from]).toHaveLength(1)
      expect(flaws[from === 'ours' ? 'theirs' : 'ours']).toEqual([])
    })
  })
})
