/** X2: what each request loses on its way, for whoever keeps account of requests. */
import { expect, it } from 'vitest'
import type { Loss } from '../../versions/index.ts'
import { deferring, openServer, settled } from '../session.fixtures.ts'

const LINK = { content: [{ type: 'resource_link', name: 'a', uri: 'note://a' }] }

it('X2 losses of an answer are told by the request, also where several are open', async () => {
  const told: [unknown, string][] = []
  const { answer, calls } = deferring()
  const { link, session } = openServer('2024-11-05', {
    answer,
    onRequestLoss: (request, { rule }) => told.push([request, rule]),
  })
  for (const id of ['one', 'two']) link.request(id, 'tools/call', { name: 't' })
  calls[1]?.resolve(LINK)
  await settled()
  expect(told).toEqual([['two', 'B-06']])
  calls[0]?.resolve({ content: [] })
  await settled()
  expect(told).toHaveLength(1)
  expect(session.losses().filter(({ rule }) => rule === 'B-06')).toHaveLength(1)
})

it('X2 whoever answers tells of what is lost elsewhere, and of results it writes itself', () => {
  const told: [unknown, string][] = []
  const { link, session } = openServer('2024-11-05', {
    onRequestLoss: (request, { rule }) => told.push([request, rule]),
    answer: (inbound) => {
      inbound.onLoss?.({ rule: 'D-01' } as Loss)
      const seen: string[] = []
      inbound.written(LINK, ({ rule }) => seen.push(rule))
      expect(seen).toEqual(['B-06'])
      return { content: [] }
    },
  })
  link.request(7, 'tools/call', { name: 't' })
  expect(told).toEqual([
    [7, 'D-01'],
    [7, 'B-06'],
  ])
  expect(session.losses().filter(({ rule }) => rule === 'B-06')).toHaveLength(1)
})

it('X2 where nobody keeps account, a request has nobody to tell', () => {
  const { link, asked } = openServer('2024-11-05')
  link.request(1, 'tools/list')
  expect(asked[0]?.onLoss).toBeUndefined()
})
