/** What Parley's client is tried with on a server that keeps the contract. */
import assert from 'node:assert/strict'
import { ParleyError, ToolError } from 'parley-mcp/client'
import { FAILURE, GREET, GROWN, LINE, MODEL_ANSWER, NOTE, PLACE, TOOLS } from '../contract.js'

const namesOf = (tools) => tools.map(({ name }) => name)

/** Everything a server may ask back is answered. */
export const answers = {
  sample: () => ({ role: 'assistant', model: 'none', content: { type: 'text', text: MODEL_ANSWER } }),
  elicit: () => ({ yes: true }),
  roots: [PLACE],
}

/** Settles with the first event after `trigger`; `listen` gets the function to call, and gives the one that ends the listening. */
export async function heard(listen, trigger) {
  let tell
  const first = new Promise((resolve) => {
    tell = resolve
  })
  const stop = await listen(tell)
  try {
    await trigger()
    return await first
  } finally {
    await stop()
  }
}

export async function subscribed(client, uri, listener) {
  const subscription = await client.subscribe(uri, listener)
  return () => subscription.unsubscribe()
}

export const probes = {
  async initialize(client, { version }) {
    assert.equal(client.version, version)
    assert.equal(typeof client.server.name, 'string')
    await client.ping()
  },
  async tools(client, { lacks }) {
    const expected = TOOLS.filter(
      (name) => !(name === 'ask-user' && lacks.includes('elicitation')) && !(lacks.includes('cancel') && /^(wait|cancelled)$/.test(name)),
    )
    const names = namesOf(await client.tools())
    for (const name of expected) assert.ok(names.includes(name), `${name} is missing`)
  },
  async call(client) {
    assert.equal((await client.call('echo', { text: 'grüße 🎈' })).value, 'grüße 🎈')
    await assert.rejects(client.call('no-such-tool'), (error) => error instanceof ParleyError || error instanceof ToolError)
  },
  async structured(client) {
    assert.deepEqual((await client.call('sum', { a: 40, b: 2 })).value, { sum: 42 })
  },
  async error(client) {
    await assert.rejects(client.call('fail'), (error) => error instanceof ToolError && error.message.includes(FAILURE))
  },
  async progress(client) {
    const steps = []
    await client.call('steps', {}, { onProgress: ({ progress, total }) => steps.push([progress, total]) })
    assert.deepEqual(steps, [
      [1, 3],
      [2, 3],
      [3, 3],
    ])
  },
  async cancel(client) {
    const controller = new AbortController()
    const waiting = client.call('wait', {}, { signal: controller.signal, onProgress: () => controller.abort() })
    await assert.rejects(waiting, { kind: 'request_cancelled' })
    assert.equal((await client.call('cancelled')).value, 'yes')
  },
  async read(client) {
    assert.ok((await client.resources()).some(({ uri }) => uri === NOTE.uri))
    assert.equal((await client.read(NOTE.uri)).contents[0].text, NOTE.text)
  },
  async subscribe(client) {
    await heard(
      (listener) => subscribed(client, NOTE.uri, listener),
      () => client.call('touch'),
    )
  },
  async list_changed(client) {
    await heard(
      (listener) => client.onListChanged('tools', listener),
      () => client.call('grow'),
    )
    assert.ok(namesOf(await client.tools()).includes(GROWN))
  },
  async prompt(client) {
    assert.ok(namesOf(await client.prompts()).includes(GREET.name))
    const { messages } = await client.prompt(GREET.name, { [GREET.argument]: 'Ann' })
    assert.equal(messages[0].content.text, GREET.say('Ann'))
  },
  async complete(client) {
    const { values } = await client.complete({ prompt: GREET.name }, { name: GREET.argument, value: 'An' })
    assert.deepEqual(values, ['Ann', 'Anton'])
  },
  async logging(client) {
    await client.setLogLevel('debug')
    const { data } = await heard(
      (listener) => client.onLog(listener),
      () => client.call('log'),
    )
    assert.ok(JSON.stringify(data).includes(LINE))
  },
  async sampling(client) {
    assert.equal((await client.call('ask-model')).value, MODEL_ANSWER)
  },
  async elicitation(client) {
    assert.equal((await client.call('ask-user')).value, 'accept true')
  },
  async roots(client) {
    assert.equal((await client.call('places')).value, PLACE.uri)
  },
}
