/** The server under the soak: answers at once, answers late, and has news to tell. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer, resource, tool } from 'parley-mcp/server'

const NEWS_MS = 200

export function createSubject() {
  const input = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }
  const echo = tool('echo', { description: 'Says it again', input }, ({ text }) => text)
  const slow = tool('slow', { description: 'Takes its time' }, async (_, { signal, progress }) => {
    progress(1, 2)
    await sleep(300, undefined, { signal })
    return 'At last'
  })
  const news = resource('soak://news', { mimeType: 'text/plain' }, () => String(Date.now()))

  const server = createServer({ name: 'soak', version: '1.0.0' }).add(echo, slow, news)
  setInterval(() => server.updated('soak://news'), NEWS_MS).unref()
  return server
}
