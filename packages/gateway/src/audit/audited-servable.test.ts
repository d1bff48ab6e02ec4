/** G: one line for each request and each question, whatever its peers do on the way. */

import { createServer, tool } from 'parley-mcp/server'
import { memoryPair } from 'parley-mcp/testing'
import { describe, expect, it, vi } from 'vitest'
import { StillClock } from './audit.fixtures.ts'
import { AuditedServable } from './audited-servable.ts'
import type { AuditEntry } from './receipt.ts'

interface Rig {
  readonly written: Record<string, unknown>[]
  readonly missed: unknown[]
  readonly answers: Record<string, unknown>[]
  readonly clock: StillClock
  send(...messages: object[]): Promise<void>
  sendAll(batch: readonly object[]): Promise<void>
  hangUp(): Promise<void>
}

const yes = { type: 'object', properties: { yes: { type: 'boolean' } } } as const
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
}

async function rigOf(version: string | undefined, write?: (entry: AuditEntry) => void): Promise<Rig> {
  const server = createServer({ name: 'rig', version: '1' }, { onError: () => {} }).add(
    tool('echo', {}, () => 'echo'),
    tool(
      'wait',
      {},
      (_, ctx) =>
        new Promise((_resolve, reject) => ctx.signal.addEventListener('abort', () => reject(new Error('over')))),
    ),
    tool('ask', {}, async (_, ctx) => (await ctx.elicit('sure', 'Sure?', yes)).action),
  )
  const [written, missed, answers, clock] = [
    [] as AuditEntry[],
    [] as unknown[],
    [] as Record<string, unknown>[],
    new StillClock(),
  ]
  const located = Object.assign(server, { locate: () => ({ server: 'rig', own: 'own' }) })
  const audited = new AuditedServable(located, {
    clock,
    write: write ?? ((entry) => void written.push(entry)),
    onMissed: (cause) => void missed.push(cause),
  })
  const [near, far] = memoryPair()
  audited.accept(far, { clock })
  near.open({ frame: (text) => void answers.push(JSON.parse(text)), closed: () => {} })
  const post = async (message: unknown): Promise<void> => {
    near.send(JSON.stringify(message))
    await settled()
  }
  const rig: Rig = {
    written: written as never,
    missed,
    answers,
    clock,
    send: async (...messages) => {
      for (const message of messages) await post({ jsonrpc: '2.0', ...message })
    },
    sendAll: (batch) => post(batch.map((message) => ({ jsonrpc: '2.0', ...message }))),
    hangUp: async () => {
      await near.close()
      await settled()
    },
  }
  if (version === undefined) return rig
  const params = {
    protocolVersion: version,
    capabilities: { elicitation: {} },
    clientInfo: { name: 'raw', version: '0' },
  }
  await rig.send({ id: 'hello', method: 'initialize', params }, { method: 'notifications/initialized' })
  written.length = 0
  return rig
}

const call = (id: unknown, name: string): object => ({ id, method: 'tools/call', params: { name } })
const ends = ({ written }: Rig): unknown[] =>
  written.map(({ kind, method, outcome, error }) => [kind, method, outcome, ...(error === undefined ? [] : [error])])

describe('G the account of a link', () => {
  it('takes batches apart, also where some of their requests are taken back', async () => {
    const rig = await rigOf('2025-03-26')
    await rig.sendAll([call(1, 'wait'), call(2, 'echo'), { id: 3, method: 'no/such' }])
    await rig.send({ method: 'notifications/cancelled', params: { requestId: 1 } })
    expect(ends(rig)).toEqual([
      ['request', 'tools/call', 'cancelled'],
      ['request', 'tools/call', 'ok'],
      ['request', 'no/such', 'refused', 'method_not_found'],
    ])
  })

  it('tells a request from another one that came under its id', async () => {
    const rig = await rigOf('2025-11-25')
    await rig.send(call(1, 'wait'))
    rig.clock.pass(40)
    await rig.send(call(1, 'echo'), { method: 'notifications/cancelled', params: { requestId: 1 } })
    expect(ends(rig)).toEqual([
      ['request', 'tools/call', 'refused', 'duplicate_request_id'],
      ['request', 'tools/call', 'cancelled'],
    ])
    expect(rig.written.map(({ ms }) => ms)).toEqual([0, 40])
  })

  it('has what came too early, and what nobody understands has no line', async () => {
    const rig = await rigOf(undefined)
    await rig.send(
      call(1, 'echo'),
      { id: 2, method: 5 },
      { method: 'notifications/cancelled', params: { requestId: 'nothing' } },
    )
    expect(ends(rig)).toEqual([['request', 'tools/call', 'refused', 'not_initialized']])
  })

  it('ends with the link: what was asked by either side and is open is over', async () => {
    const rig = await rigOf('2025-11-25')
    await rig.send(call(1, 'wait'), call(2, 'ask'))
    await rig.hangUp()
    expect(ends(rig).sort()).toEqual([
      ['question', 'elicitation/create', 'cancelled'],
      ['request', 'tools/call', 'cancelled'],
      ['request', 'tools/call', 'cancelled'],
    ])
  })

  it('has the answers of clients to questions: decisions and errors', async () => {
    const rig = await rigOf('2025-11-25')
    const asked = (): unknown => rig.answers.filter(({ method }) => method === 'elicitation/create').at(-1)?.['id']
    await rig.send(call(1, 'ask'))
    await rig.send({ id: asked(), result: { action: 'accept', content: { yes: true } } })
    await rig.send(call(2, 'ask'))
    await rig.send({ id: asked(), error: { code: -32603, message: 'no screen' } })
    const questions = rig.written.filter(({ kind }) => kind === 'question')
    expect(questions).toMatchObject([
      { outcome: 'ok', action: 'accept', server: 'rig', client: { name: 'raw' }, protocol: '2025-11-25' },
      { outcome: 'error', code: -32603, error: 'internal_error' },
    ])
  })

  it('has questions that travel inside answers, also those that are never answered', async () => {
    const rig = await rigOf(undefined)
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '7' },
    }
    for (const id of [1, 2]) await rig.send({ id, method: 'tools/call', params: { name: 'ask', _meta } })
    await vi.waitFor(() => expect(rig.answers).toHaveLength(2))
    const [first] = rig.answers as { result: { requestState: string; inputRequests: object } }[]
    const [key = ''] = Object.keys(first?.result.inputRequests ?? {})
    const again = {
      name: 'ask',
      _meta,
      requestState: first?.result.requestState,
      inputResponses: { [key]: { action: 'cancel' } },
    }
    await rig.send({ id: 3, method: 'tools/call', params: again })
    await vi.waitFor(() => expect(rig.answers).toHaveLength(3))
    await rig.hangUp()
    expect(ends(rig)).toEqual([
      ['request', 'tools/call', 'input_required'],
      ['request', 'tools/call', 'input_required'],
      ['question', 'elicitation/create', 'ok'],
      ['request', 'tools/call', 'ok'],
      ['question', 'elicitation/create', 'unanswered'],
    ])
    expect(rig.written[2]).toMatchObject({
      action: 'cancel',
      client: { name: 'raw', version: '7' },
      protocol: '2026-07-28',
    })
  })

  it('harms no conversation when it fails itself', async () => {
    const rig = await rigOf('2025-11-25', () => {
      throw new Error('no receipt')
    })
    await rig.send(call(1, 'echo'))
    expect(rig.answers.map(({ id }) => id)).toEqual(['hello', 1])
    expect(rig.missed).toHaveLength(2)
  })
})
