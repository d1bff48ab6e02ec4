/** Progress of a request that is made again: servers may count anew, but whoever follows it sees growth. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Body } from '../../../../jsonrpc/index.ts'
import type { Progress } from '../../../request-options.ts'
import { openStateless, settled } from './client.fixtures.ts'

const form: Body = {
  method: 'elicitation/create',
  params: { message: 'Who?', requestedSchema: { type: 'object', properties: {} } },
}

async function told(rounds: readonly (readonly Progress[])[]): Promise<Progress[]> {
  const { session, link } = await openStateless({ answer: () => ({ action: 'accept', content: {} }), maxRounds: 100 })
  const heard: Progress[] = []
  const called = session.request('tools/call', { name: 'x' }, { onProgress: (progress) => heard.push(progress) })
  for (const round of rounds) {
    const id = link.lastId
    expect(link.sent.at(-1).params._meta.progressToken).toBe(id)
    for (const progress of round) link.notify('notifications/progress', { progressToken: id, ...progress })
    link.answer(id, { resultType: 'input_required', inputRequests: { who: form } })
    await settled()
  }
  link.answer(link.lastId, { resultType: 'complete', content: [] })
  await called
  return heard
}

describe('progress over rounds', () => {
  it('goes on where it was; how much there is in all is not told any more', async () => {
    const first = [
      { progress: 1, total: 4 },
      { progress: 3, total: 4, message: 'half' },
    ]
    const second = [
      { progress: 1, total: 2, message: 'again' },
      { progress: 2, total: 2 },
    ]
    expect(await told([first, second])).toEqual([...first, { progress: 4, message: 'again' }, { progress: 5 }])
  })

  it('is as it comes where nothing was told before', async () => {
    expect(
      await told([
        [],
        [
          { progress: 0, total: 2 },
          { progress: 1, total: 2 },
        ],
      ]),
    ).toEqual([
      { progress: 0, total: 2 },
      { progress: 1, total: 2 },
    ])
  })

  it('is not told twice where the server begins at nothing', async () => {
    expect(
      await told([[{ progress: 0 }], [{ progress: 0 }, { progress: 2 }], [{ progress: 0 }, { progress: 1 }]]),
    ).toEqual([{ progress: 0 }, { progress: 2 }, { progress: 3 }])
  })

  it('always grows, whatever servers count', async () => {
    const round = fc.array(fc.oneof(fc.integer({ min: -5, max: 20 }), fc.double({ noNaN: true, min: -10, max: 1e6 })), {
      maxLength: 5,
    })
    await fc.assert(
      fc.asyncProperty(fc.array(round, { maxLength: 5 }), async (rounds) => {
        const values = (await told(rounds.map((each) => each.map((progress) => ({ progress }))))).map(
          ({ progress }) => progress,
        )
        for (let at = 1; at < values.length; at++) expect(values[at]).toBeGreaterThan(values[at - 1] as number)
        const first = rounds.findIndex((each) => each.length > 0)
        expect(values.length > 0).toBe(first !== -1)
      }),
      { numRuns: 60 },
    )
  })
})
