/** Clients that vanish, come twice, come late, lie, or have the same ids as others. */
import { describe, it } from 'vitest'
import { childrenOf, eventually, expect, faulty, perTest, shared, soon, textOf } from './faults.fixtures.ts'
import { modern, post, type RawAnswer, shakeHands } from './raw.fixtures.ts'

const FORM = {
  method: 'elicitation/create',
  params: { message: 'Who?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } },
}
const ASK = { name: 'ask', arguments: FORM }
const capabilities = { elicitation: { form: {} } }

describe('a client of 2026-07-28 whose call is parked', () => {
  const rig = perTest()

  const call = (params: Record<string, unknown>, headers: Record<string, string> = {}): Promise<RawAnswer> =>
    soon(modern(rig.address('files'), 'tools/call', params, { capabilities, headers }))

  async function parked(headers: Record<string, string> = {}) {
    await rig.start({ files: faulty() }, { principalHeader: 'x-user' })
    const { body } = await call(ASK, headers)
    expect(body.result).toMatchObject({ resultType: 'input_required', requestState: expect.any(String) })
    const { inputRequests, requestState } = body.result as {
      inputRequests: Record<string, unknown>
      requestState: string
    }
    const [key] = Object.keys(inputRequests)
    const inputResponses = { [key as string]: { action: 'accept', content: { name: 'Ann' } } }
    return { ...ASK, inputResponses, requestState }
  }

  it('rule 6 retries twice at once and once more: three times the same outcome, the tool ran once', async () => {
    const retry = await parked()
    const [first, second] = await Promise.all([call(retry), call(retry)])
    expect(first.body.result?.content?.[0]?.text).toContain('Ann')
    expect(second.body.result).toEqual(first.body.result)
    expect((await call(retry)).body.result).toEqual(first.body.result)
  })

  it.each([
    ['forged', (state: string) => `${state.slice(0, -6)}AAAAAA`],
    ['made up', () => 'v1.eyJrIjoicGFyayJ9.AAAA'],
    ['empty', () => ''],
    ['of a megabyte', () => 'x'.repeat(1024 * 1024)],
    ['no text', () => 7],
    ['an object', () => ({ __proto__: null })],
  ])('a state that is %s: -32602', async (_, change) => {
    const retry = await parked()
    const { body } = await call({ ...retry, requestState: change(retry.requestState) })
    expect(body.error).toMatchObject({ code: -32602 })
    // The right one is still good.
    expect((await call(retry)).body.result?.content?.[0]?.text).toContain('Ann')
  })

  it('with other arguments, or by somebody else: -32602, and nobody learns anything', async () => {
    const retry = await parked({ 'x-user': 'ann' })
    const other = { ...retry, arguments: { ...FORM, params: { ...FORM.params, message: 'Who else?' } } }
    expect((await call(other, { 'x-user': 'ann' })).body.error).toMatchObject({ code: -32602 })
    expect((await call(retry, { 'x-user': 'bea' })).body.error).toMatchObject({ code: -32602 })
    expect((await call(retry)).body.error).toMatchObject({ code: -32602 })
    expect((await call(retry, { 'x-user': 'ann' })).body.result?.content?.[0]?.text).toContain('Ann')
  })

  it('at the other address: a state of one server is none at another', async () => {
    const retry = await parked()
    expect(
      (await soon(modern(rig.address(), 'tools/call', { ...retry, name: 'files__ask' }, { capabilities }))).body.error,
    ).toMatchObject({ code: -32602 })
  })

  it('malformed responses are not taken for a decision', async () => {
    const retry = await parked()
    const [key] = Object.keys(retry.inputResponses)
    for (const inputResponses of [
      {},
      { [key as string]: 'yes' },
      { other: { action: 'accept' } },
      { __proto__: { action: 'accept' } },
      [],
    ]) {
      const { body } = await call({ ...retry, inputResponses })
      expect(body.result?.content?.[0]?.text ?? '').not.toContain('accept')
      if (body.error !== undefined) return expect(body.error.code).toBe(-32602)
      retry.requestState = body.result?.['requestState'] as string
    }
  })

  it('rule 9 comes back after its time: the server was told "cancel", and the model that it is over', async () => {
    const retry = await parked()
    await rig.clock.skip(11 * 60_000)
    const { body } = await call(retry)
    expect(body.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/expired.*its time is over.*call the tool again/) }],
    })
    await eventually(async () => expect(rig.gateway.upstreams[0]?.bulkhead.stats().running).toBe(0))
  })

  it('is lost when its server is gone: an error for the model, not a call made again', async () => {
    const retry = await parked()
    for (const child of childrenOf(process.pid)) process.kill(Number.parseInt(child, 10), 'SIGKILL')
    const { body } = await call(retry)
    expect(body.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/lost.*"files" was ended by SIGKILL/) }],
    })
    expect(JSON.stringify(body)).not.toContain('Ann')
  })
})

describe('a client that vanishes in the middle of a call', () => {
  const rig = perTest()

  it('without a session, the server is told to stop', async () => {
    await rig.start({ files: { ...faulty(), session: 'shared' } })
    const abort = new AbortController()
    const hanging = modern(
      rig.address('files'),
      'tools/call',
      { name: 'hang', arguments: {} },
      { signal: abort.signal },
    ).catch(() => 'gone')
    const client = await rig.client('files', '2026-07-28')
    await eventually(async () => expect(await textOf(client, 'heard')).toContain('tools/call tools/call'))
    abort.abort()
    expect(await hanging).toBe('gone')
    await eventually(async () => expect(await textOf(client, 'cancelled')).toBe('1'))
    expect(rig.gateway.upstreams[0]?.bulkhead.stats().running).toBe(0)
  })

  it('with a session, it may come back: only the end of the session ends the call', async () => {
    await rig.start({ files: faulty() })
    const session = await shakeHands(rig.address('files'))
    const abort = new AbortController()
    const hanging = session
      .request('tools/call', { name: 'hang', arguments: {} }, { id: 5, signal: abort.signal })
      .catch(() => 'gone')
    await eventually(async () =>
      expect((await session.request('tools/call', { name: 'heard' })).body.result?.content?.[0]?.text).toContain(
        'tools/call tools/call',
      ),
    )
    abort.abort()
    expect(await hanging).toBe('gone')
    expect(
      (await session.request('tools/call', { name: 'cancelled' }, { id: 6 })).body.result?.content?.[0]?.text,
    ).toBe('0')
    const ended = await fetch(rig.address('files'), { method: 'DELETE', headers: { 'mcp-session-id': session.id } })
    expect(ended.ok).toBe(true)
    await eventually(async () => expect(rig.gateway.upstreams[0]?.bulkhead.stats().running).toBe(0))
    expect((await session.request('tools/list')).status).toBe(404)
  })
})

describe('M1 two clients whose ids collide on one shared server', () => {
  const rig = perTest()

  it.each(['2025-06-18', '2026-07-28'])('each gets its own answers, clients of %s', async (version) => {
    await rig.start({ files: { ...faulty(), session: 'shared' } })
    const url = rig.address('files')
    const ids = [1, 1, '1', 'same', 'same', 0, -1]
    const sessions = version === '2026-07-28' ? [] : await Promise.all(ids.map(() => shakeHands(url)))
    const answers = await soon(
      Promise.all(
        ids.map((id, index) => {
          const params = { name: 'echo', arguments: { text: `${index}` } }
          return sessions[index]?.request('tools/call', params, { id }) ?? modern(url, 'tools/call', params, { id })
        }),
      ),
    )
    expect(answers.map(({ body }) => [body.id, body.result?.content?.[0]?.text])).toEqual(
      ids.map((id, index) => [id, `${index}`]),
    )
  })

  it('one client that uses an id twice at once is told so', async () => {
    await rig.start({ files: faulty() })
    const session = await shakeHands(rig.address('files'))
    const [one, two] = await soon(
      Promise.all([
        session.request('tools/call', { name: 'wait', arguments: { ms: 500 } }, { id: 3 }),
        session.request('tools/call', { name: 'wait', arguments: { ms: 500 } }, { id: 3 }),
      ]),
    )
    const outcomes = [one, two].map(({ body }) => body.error?.code ?? body.result?.content?.[0]?.text)
    expect(outcomes.sort()).toEqual([-32600, 'waited'])
  })
})

describe('what is no request', () => {
  const rig = shared({ files: { ...faulty(), lazy: true } })

  it.each([
    ['no JSON', '{"jsonrpc":', 400, -32700],
    ['an empty body', '', 400, -32700],
    ['a list where there are none', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', 400, -32600],
    ['a text', '"hello"', 400, -32600],
    [
      'deeper than any message',
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`,
      400,
      -32600,
    ],
  ])('%s', async (_, text, status, code) => {
    for (const url of [rig.address(), rig.address('files')]) {
      const answer = await soon(post(url, text))
      expect([answer.status, answer.body.error?.code]).toEqual([status, code])
    }
  })

  it('longer than any message: 413', async () => {
    expect((await soon(post(rig.address('files'), `"${'x'.repeat(5 * 1024 * 1024)}"`))).status).toBe(413)
  })

  it('of another server, of none, of a name that means something in a path', async () => {
    for (const path of [
      '/servers/none/mcp',
      '/servers//mcp',
      '/servers/../mcp/x',
      '/servers/files%2f..%2f/mcp',
      '/servers/__proto__/mcp',
      '/servers/constructor/mcp',
    ]) {
      expect((await post(`${rig.url}${path}`, '{}')).status).toBe(404)
    }
  })

  it('from another place: DNS rebinding gets nothing', async () => {
    const { status } = await post(rig.address('files'), '{}', { headers: { origin: 'https://evil.example' } })
    expect(status).toBe(403)
  })
})
