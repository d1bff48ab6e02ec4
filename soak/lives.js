/**
 * What clients do in the soak: good ones, rude ones, and ones that never come back. Each function is the life of one.
 */
import { fileURLToPath } from 'node:url'
import { childLink, connect } from 'parley-mcp/node'
import { openRaw } from './raw-http.js'

const info = { name: 'soak-client', version: '1.0.0' }
const program = fileURLToPath(new URL('./stdio-server.js', import.meta.url))

/** All processes that were started, to be looked for at the end. */
export const started = new Set()

async function startChild() {
  const link = await childLink({ command: process.execPath, args: [program] })
  started.add(link.pid)
  return link
}

function expect(wanted, given) {
  if (given !== wanted) throw new Error(`Expected ${wanted}, got ${given}`)
}

/** The error a promise fails with. */
async function failure(promise) {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('Something worked that could not')
}

async function use(client) {
  expect(2, (await client.tools()).length)
  for (let at = 0; at < 5; at++) expect(`hello ${at}`, (await client.call('echo', { text: `hello ${at}` })).text)
  let subscription
  await new Promise((resolve, reject) => {
    subscription = client.subscribe('soak://news', resolve)
    subscription.catch(reject)
  })
  await (await subscription).unsubscribe()
}

export const httpLives = {
  async 'used and closed'(url) {
    const client = await connect(url, { info })
    await use(client)
    await client.close()
  },

  async 'closed while subscribed'(url) {
    const client = await connect(url, { info })
    await client.subscribe('soak://news', () => {})
    await client.close()
  },

  async 'call cancelled'(url) {
    const client = await connect(url, { info })
    const given = new AbortController()
    const call = failure(client.call('slow', {}, { signal: given.signal }))
    await client.call('echo', { text: 'meanwhile' })
    given.abort()
    expect('request_cancelled', (await call).kind)
    await client.close()
  },

  async 'dropped in the middle'(url) {
    const raw = await openRaw(url)
    const hangUps = [await raw.listen(), raw.begin({ id: 2, method: 'tools/call', params: { name: 'slow' } })]
    await raw.request({ id: 3, method: 'tools/call', params: { name: 'echo', arguments: { text: 'and away' } } })
    for (const hangUp of hangUps) hangUp()
  },

  async abandoned(url) {
    const raw = await openRaw(url)
    await raw.request({ id: 2, method: 'resources/subscribe', params: { uri: 'soak://news' } })
  },
}

export const stdioLives = {
  async 'used and closed'() {
    const link = await startChild()
    const client = await connect(link, { info })
    await use(client)
    await client.close()
    await link.gone
  },

  async 'killed in the middle'() {
    const link = await startChild()
    const client = await connect(link, { info })
    const call = failure(client.call('slow'))
    await client.call('echo', { text: 'not long' })
    process.kill(link.pid, 'SIGKILL')
    expect('connection_closed', (await call).kind)
    await client.close()
    await link.gone
  },

  async 'hung up on'() {
    const link = await startChild()
    const client = await connect(link, { info })
    const call = failure(client.call('slow'))
    link.close()
    await call
    await client.close()
    await link.gone
  },
}
