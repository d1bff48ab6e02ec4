/** States that were not given here: refused, or left to whoever stands behind. */
import { describe, expect, it } from 'vitest'
import type { Body } from '../../jsonrpc/index.ts'
import { flush } from '../../testing/clock.ts'
import { type Answer, type Inbound, InputRequired } from '../endpoint.ts'
import { everything, makeRig, type Rig, settled } from '../session.fixtures.ts'

const META = 'io.modelcontextprotocol/'
const _meta = { [`${META}protocolVersion`]: '2026-07-28', [`${META}clientCapabilities`]: { elicitation: {} } }
const question = {
  method: 'elicitation/create',
  params: { message: 'Who?', requestedSchema: { type: 'object', properties: {} } },
} as const

function server(answer: (inbound: Inbound) => Answer, takesForeignState?: boolean): Rig {
  const asked: Inbound[] = []
  const rig = makeRig('server', {
    endpoint: {
      introduce: () => ({ info: { name: 's', version: '1' }, capabilities: everything }),
      answer: (inbound) => {
        asked.push(inbound)
        return answer(inbound)
      },
      ...(takesForeignState === undefined ? {} : { takesForeignState }),
    },
  })
  return { ...rig, asked }
}

/** Opening a token takes a few turns of cryptography. */
async function answered(rig: Rig): Promise<Body> {
  while (rig.link.sent.length === 0) await flush()
  await settled()
  return rig.link.take()[0]
}

const foreign = {
  name: 'x',
  requestState: 'theirs: {"a":1}',
  inputResponses: { who: { action: 'accept', content: {} } },
  _meta,
}

describe('Endpoint.takesForeignState', () => {
  it.each([undefined, false])('without it such a state is refused: %s', async (takes) => {
    const rig = server(() => ({ content: [] }), takes)
    rig.link.request(1, 'tools/call', foreign)
    expect(await answered(rig)).toMatchObject({
      id: 1,
      error: { message: expect.stringContaining('not a state this server gave') },
    })
    expect(rig.asked).toEqual([])
  })

  it('hands the request to `answer` as it came', async () => {
    const rig = server(
      () =>
        ({ resultType: 'input_required', requestState: 'theirs again', inputRequests: { more: question } }) as never,
      true,
    )
    rig.link.request(1, 'tools/call', foreign)
    expect(await answered(rig)).toMatchObject({
      id: 1,
      result: { resultType: 'input_required', requestState: 'theirs again', inputRequests: { more: question } },
    })
    expect(rig.asked.map(({ params, retry }) => [params, retry])).toEqual([
      [
        expect.objectContaining({ requestState: foreign.requestState, inputResponses: foreign.inputResponses }),
        undefined,
      ],
    ])
  })

  it('a state that was given here is opened here all the same', async () => {
    const rig = server(
      ({ retry }) =>
        retry === undefined
          ? new InputRequired({ who: question } as never, { step: 1 })
          : { content: [{ type: 'text', text: JSON.stringify(retry.state) }] },
      true,
    )
    rig.link.request(1, 'tools/call', { name: 'x', _meta })
    const { requestState } = (await answered(rig))['result'] as Body
    rig.link.request(2, 'tools/call', { ...foreign, requestState })
    expect(await answered(rig)).toMatchObject({ id: 2, result: { content: [{ text: '{"step":1}' }] } })
    rig.link.request(3, 'tools/call', { ...foreign, name: 'another', requestState })
    expect(await answered(rig)).toMatchObject({ id: 3, error: { message: expect.stringContaining('another request') } })
  })

  it('a request that is given up while its state is looked at is not begun', async () => {
    const rig = server(() => ({ content: [] }), true)
    rig.link.request(1, 'tools/call', foreign)
    rig.link.notify('notifications/cancelled', { requestId: 1 })
    rig.link.request(2, 'tools/call', foreign)
    expect(await answered(rig)).toMatchObject({ id: 2 })
    expect(rig.asked.map(({ id }) => id)).toEqual([2])
  })
})
