/** What Parley's client is tried with on the reference server, which has names of its own. */
import assert from 'node:assert/strict'
import { ParleyError, ToolError } from 'parley-mcp/client'
import { MODEL_ANSWER, PLACE } from '../contract.js'
import { heard, subscribed } from './our-client.js'

const namesOf = (tools) => tools.map(({ name }) => name)
const RESOURCE = 'demo://resource/dynamic/text/1'

export const everythingProbes = {
  async initialize(client, { version }) {
    assert.equal(client.version, version)
    assert.equal(client.server.name, 'mcp-servers/everything')
    assert.ok(client.instructions.length > 0)
    await client.ping()
  },
  async tools(client) {
    assert.ok(namesOf(await client.tools()).includes('get-structured-content'))
  },
  async call(client) {
    assert.equal((await client.call('echo', { message: 'grüße 🎈' })).value, 'Echo: grüße 🎈')
  },
  async unknown(client) {
    await assert.rejects(
      client.call('no-such-tool'),
      (error) => error instanceof ParleyError || error instanceof ToolError,
    )
  },
  async structured(client) {
    const { value } = await client.call('get-structured-content', { location: 'Chicago' })
    assert.equal(typeof value.temperature, 'number')
  },
  async error(client) {
    await assert.rejects(
      client.call('get-sum', { a: 'no number' }),
      (error) => error instanceof ParleyError || error instanceof ToolError,
    )
  },
  async progress(client) {
    const steps = []
    await client.call(
      'trigger-long-running-operation',
      { duration: 0.3, steps: 3 },
      { onProgress: ({ progress, total }) => steps.push([progress, total]) },
    )
    assert.deepEqual(steps, [
      [1, 3],
      [2, 3],
      [3, 3],
    ])
  },
  async read(client) {
    assert.ok((await client.templates()).length > 0)
    assert.match((await client.read(RESOURCE)).contents[0].text, /plaintext resource/)
  },
  async missing(client, { notFound }) {
    await assert.rejects(client.read('demo://nowhere'), notFound)
  },
  async subscribe(client) {
    await heard(
      (listener) => subscribed(client, RESOURCE, listener),
      () => client.call('toggle-subscriber-updates'),
    )
    await client.call('toggle-subscriber-updates')
  },
  async list_changed(client) {
    const file = { name: 'small.gz', data: 'data:text/plain,hello', outputType: 'resourceLink' }
    await heard(
      (listener) => client.onListChanged('resources', listener),
      () => client.call('gzip-file-as-resource', file),
    )
  },
  async prompt(client) {
    assert.ok(namesOf(await client.prompts()).includes('args-prompt'))
    assert.match((await client.prompt('args-prompt', { city: 'Oslo' })).messages[0].content.text, /Oslo/)
  },
  async complete(client) {
    const first = await client.complete({ prompt: 'completable-prompt' }, { name: 'department', value: 'S' })
    assert.deepEqual(first.values, ['Sales', 'Support'])
    const second = await client.complete(
      { prompt: 'completable-prompt' },
      { name: 'name', value: '' },
      { department: 'Sales' },
    )
    assert.deepEqual(second.values, ['David', 'Eve', 'Frank'])
  },
  async logging(client) {
    await client.setLogLevel('debug')
    await heard(
      (listener) => client.onLog(listener),
      () => client.call('toggle-simulated-logging'),
    )
    await client.call('toggle-simulated-logging')
  },
  async sampling(client) {
    const { content } = await client.call('trigger-sampling-request', { prompt: 'What is it?', maxTokens: 10 })
    assert.ok(JSON.stringify(content).includes(MODEL_ANSWER))
  },
  async elicitation(client) {
    // Nothing is filled in but what is required: the rest are the form's own defaults.
    const { content } = await client.call('trigger-elicitation-request')
    assert.match(JSON.stringify(content), /✅|Monica/)
  },
  async roots(client) {
    const { content } = await client.call('get-roots-list')
    assert.ok(JSON.stringify(content).includes(PLACE.uri))
  },
  async tasks(client) {
    const task = await client.callAsTask('simulate-research-query', { topic: 'patience' })
    assert.equal((await task.status()).status, 'working')
    assert.equal((await task.cancel()).status, 'cancelled')
  },
}
