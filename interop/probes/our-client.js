/** What Parley's client is tried with on a server that keeps the contract. */
import assert from 'node:assert/strict'
import { ParleyError, ToolError } from 'parley-mcp/client'
import { BOTH_ANSWERS, FAILURE, GREET, GROWN, LINE, MODEL_ANSWER, NOTE, PLACE, TOOLS, ZONE } from '../contract.js'

export const namesOf = (tools) => tools.map(({ name }) => name)

/** Everything a server may ask back is answered. */
export const answers = {
  sample: () => ({ role: 'assistant', model: 'none', content: { type: 'text', text: MODEL_ANSWER } }),
  elicit: () => ({ yes: true }),
  roots: [PLACE],
}

/**
 * Settles with the first event after `trigger`; `listen` gets the function to call, and gives the one that ends the
 * listening.
 */
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

/** Tools that only servers with something particular have. */
const PROVED_BY = {
  'ask-user': 'elicitation',
  'ask-both': 'together',
  'ask-twice': 'in_turn',
  wait: 'cancel',
  cancelled: 'cancel',
  job: 'tasks',
}

export const probes = {
  async initialize(client, { version }) {
    assert.equal(client.version, version)
    assert.equal(typeof client.server.name, 'string')
    await client.ping()
  },
  /** First as somebody who does not know what the tool wants, and then as somebody who does. */
  async header(client) {
    assert.equal((await client.call('zone', { zone: ZONE })).value, ZONE)
    await client.tools()
    assert.equal((await client.call('zone', { zone: ZONE })).value, ZONE)
  },
  async tools(client, { lacks }) {
    const names = namesOf(await client.tools())
    for (const name of TOOLS) assert.ok(PROVED_BY[name] in lacks || names.includes(name), `${name} is missing`)
  },
  async call(client) {
    assert.equal((await client.call('echo', { text: 'grüße 🎈' })).value, 'grüße 🎈')
  },
  async unknown(client) {
    await assert.rejects(
      client.call('no-such-tool'),
      (error) => error instanceof ParleyError || error instanceof ToolError,
    )
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
  async missing(client, { notFound }) {
    await assert.rejects(client.read('notes://none'), notFound)
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
  async together(client) {
    assert.equal((await client.call('ask-both')).value, BOTH_ANSWERS)
  },
  async in_turn(client) {
    assert.equal((await client.call('ask-twice')).value, BOTH_ANSWERS)
  },
  async tasks(client) {
    const task = await client.callAsTask('job')
    assert.equal((await task.result()).value, 'done')
    assert.equal((await task.status()).status, 'completed')
  },
}
