import { ParleyError } from 'parley-mcp'
import { describe, expect, it } from 'vitest'
import { stage } from './supervisor.fixtures.ts'

describe('G a server elsewhere that goes away', () => {
  it('does not count as running while nothing gets through, though its connection has not ended', async () => {
    const { supervisor, use, states } = stage()
    const { far } = await use()
    far.answer()
    expect(supervisor.status().state).toBe('running')
    far.fail(new ParleyError('transport_error', { message: 'connect ECONNREFUSED' }))
    expect(supervisor.status()).toMatchObject({ state: 'restarting', sessions: 1 })
    expect(supervisor.status().lastError).toContain('ECONNREFUSED')
    far.answer()
    expect(supervisor.status().state).toBe('running')
    expect(states.slice(-3)).toEqual(['running', 'restarting', 'running'])
  })

  it('is there when it answers with an error', async () => {
    const { supervisor, use } = stage()
    const { far } = await use()
    far.answer()
    far.fail(new ParleyError('transport_error', { message: 'answered 500', data: { status: 500 } }))
    expect(supervisor.status().state).toBe('running')
  })
})
