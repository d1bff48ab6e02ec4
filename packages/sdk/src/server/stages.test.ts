/** Stages: what every request passes before it is answered, in one visible order. */
import { describe, expect, it } from 'vitest'
import { ParleyError } from '../errors/index.ts'
import { compose, type Inbound, type Stage } from '../session/index.ts'
import { connect } from '../testing/index.ts'
import { createServer, tool } from './index.ts'

const echo = tool('echo', {}, () => 'hello')
const makeServer = (...stages: Stage[]) =>
  createServer({ name: 's', version: '1' }, { onError: () => {} })
    .use(...stages)
    .add(echo)

describe.each(['2025-06-18', '2026-07-28'] as const)('stages of a server (%s)', (version) => {
  it('see each request, the first outermost, and its answer', async () => {
    const seen: string[] = []
    const stage =
      (name: string): Stage =>
      async (call, next) => {
        seen.push(`${name} ${call.method} ${String(call.params['name'])}`)
        const answer = await next(call)
        seen.push(`${name} answered`)
        return answer
      }
    await using client = await connect(makeServer(stage('one'), stage('two')), { version })
    expect((await client.call('echo')).value).toBe('hello')
    expect(seen.filter((line) => !line.includes('discover'))).toEqual([
      'one tools/call echo',
      'two tools/call echo',
      'two answered',
      'one answered',
    ])
  })

  it('refuse a request with an error of their own', async () => {
    const refuse: Stage = (call, next) => {
      if (call.method === 'tools/call') throw new ParleyError('forbidden', { message: 'echo is not for you' })
      return next(call)
    }
    await using client = await connect(makeServer(refuse), { version })
    await expect(client.call('echo')).rejects.toThrow('echo is not for you')
    expect((await client.tools()).map(({ name }) => name)).toEqual(['echo'])
  })

  it('tell the client nothing of what is wrong in them', async () => {
    const broken: Stage = () => {
      throw new Error('password in the message')
    }
    await using client = await connect(makeServer(broken), { version })
    await expect(client.call('echo')).rejects.toThrow(/^(?!.*password)/)
  })
})

describe('composed stages', () => {
  const call = { method: 'm' } as Inbound

  it('without any are the last step itself', () => {
    const last = () => ({})
    expect(compose([], last)).toBe(last)
  })

  it('stay synchronous where all of them are', () => {
    const through: Stage = (each, next) => next(each)
    expect(compose([through, through], () => ({ done: true }))(call)).toEqual({ done: true })
  })
})
