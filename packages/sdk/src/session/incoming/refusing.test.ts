/** What is said to a peer that asks what it must not. */
import { describe, expect, it } from 'vitest'
import { ParleyError } from '../../errors/index.ts'
import type { Endpoint } from '../endpoint.ts'
import { initializeParams, makeRig } from '../session.fixtures.ts'

describe('Endpoint.refusing', () => {
  const seen: [string, string][] = []
  const endpoint = (refusing?: Endpoint['refusing']): Endpoint => ({
    introduce: () => ({ info: { name: 's', version: '1' }, capabilities: { tools: {} } }),
    answer: () => ({ tools: [] }),
    ...(refusing && { refusing }),
  })
  const open = (refusing?: Endpoint['refusing']) => {
    const rig = makeRig('server', { endpoint: endpoint(refusing) })
    rig.link.request(0, 'initialize', initializeParams())
    rig.link.notify('notifications/initialized')
    rig.link.take()
    return rig
  }

  it('may say more about it', () => {
    const { link } = open((method, error) => {
      seen.push([method, error.kind])
      return new ParleyError(error.kind, { message: `${error.message}; the server behind has none`, data: error.data })
    })
    link.request(1, 'prompts/list')
    link.request(2, 'tools/list')
    const [refused, answered] = link.take()
    expect(refused.error.message).toMatch(/"prompts".*; the server behind has none$/)
    expect(answered).toMatchObject({ id: 2, result: { tools: [] } })
    expect(seen).toEqual([['prompts/list', 'capability_not_supported']])
  })

  it('or nothing', () => {
    const plain = open()
    plain.link.request(1, 'prompts/list')
    const same = open((_, error) => error)
    same.link.request(1, 'prompts/list')
    expect(same.link.take()).toEqual(plain.link.take())
  })
})
