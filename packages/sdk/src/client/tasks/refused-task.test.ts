/** C-23: servers that refuse the way a tool was called. */
import { describe, expect, it, vi } from 'vitest'
import { ParleyError } from '../../errors/index.ts'
import { createServer, tool } from '../../server/index.ts'
import { connect as connectIn } from '../../testing/index.ts'

const connect: typeof connectIn = (server, options) => connectIn(server, { version: '2025-11-25', ...options })
const tasks = () =>
  createServer({ name: 's', version: '1' }).add(
    tool('must', { execution: { taskSupport: 'required' } }, () => ''),
    tool('never', {}, () => ''),
  )

describe('C-23 a call that was made the wrong way is made again only when the server says which is right', () => {
  it('as a task, any other refusal is thrown', async () => {
    const server = tasks()
    await using client = await connect(server)
    const request = vi.spyOn(client.session, 'request')
    for (const data of [undefined, { taskSupport: 'required' }]) {
      const refusal = new ParleyError('method_not_found', { code: -32601, ...(data && { data }) })
      request.mockRejectedValueOnce(refusal)
      await expect(client.callAsTask('never')).rejects.toBe(refusal)
    }
    expect(request).toHaveBeenCalledTimes(2)
  })

  it('any other refusal is thrown, and so is the second', async () => {
    const server = tasks()
    await using client = await connect(server)
    const refusal = (data?: Record<string, unknown>) =>
      new ParleyError('method_not_found', { code: -32601, ...(data && { data }) })
    const request = vi.spyOn(client.session, 'request')
    for (const error of [refusal(), refusal({ taskSupport: 'forbidden' })]) {
      request.mockRejectedValueOnce(error)
      await expect(client.call('must')).rejects.toBe(error)
    }
    expect(request).toHaveBeenCalledTimes(2)
    const required = refusal({ taskSupport: 'required' })
    request.mockRejectedValueOnce(required).mockRejectedValueOnce(required)
    await expect(client.call('must')).rejects.toBe(required)
    expect(request).toHaveBeenCalledTimes(4)
  })
})
