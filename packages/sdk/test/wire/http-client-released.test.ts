/**
 * A server that lets its client hang up and come back, and one that has no stream of its own: whoever asked is told
 * (C-40).
 */
import { afterEach, describe, expect, it } from 'vitest'
import { httpLink } from '../../src/transport/index.ts'
import {
  answer,
  calls,
  closeServers,
  data,
  events,
  HandClock,
  noStream,
  scripted,
  session,
  talk,
} from './http-client.fixtures.ts'

afterEach(closeServers)

describe.each(calls)('C-40 a stream that the server ends, over %s', (_, options) => {
  it('is told to whoever made the request, with the time to wait, and the answer comes all the same', async () => {
    const clock = new HandClock()
    const server = await scripted(
      session((seen, response) => {
        if (seen.method === 'GET' && seen.headers['last-event-id'] === undefined) return noStream(seen, response, 0)
        events(response)
        if (seen.method === 'POST') return void response.end('id: event-1\nretry: 500\ndata: \n\n')
        response.end(data(answer(2, { tools: [] })))
      }),
    )
    const client = await talk(httpLink(server.url, { ...options, clock }))
    const released: (number | undefined)[] = []
    const asked = client.request('tools/list', {}, { onReleased: (retry) => released.push(retry) })
    ;(await clock.wait((ms) => ms === 500)).run()
    expect(await asked).toEqual({ tools: [] })
    expect(released).toEqual([500])
    await client.close()
  })

  it('one that breaks off is mended without a word', async () => {
    const clock = new HandClock()
    const server = await scripted(
      session((seen, response) => {
        if (seen.method === 'GET' && seen.headers['last-event-id'] === undefined) return noStream(seen, response, 0)
        events(response)
        if (seen.method !== 'POST') return void response.end(data(answer(2, { tools: [] })))
        response.write('id: event-1\nretry: 500\ndata: \n\n', () => response.destroy())
      }),
    )
    const client = await talk(httpLink(server.url, { ...options, clock }))
    const released: unknown[] = []
    const asked = client.request('tools/list', {}, { onReleased: (retry) => released.push(retry) })
    ;(await clock.wait((ms) => ms === 500)).run()
    expect([await asked, released]).toEqual([{ tools: [] }, []])
    await client.close()
  })
})
