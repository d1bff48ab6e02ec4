/**
 * What a client of the official SDK is tried with on Parley's server. Its own parser objects to whatever it does not
 * know.
 */
import assert from 'node:assert/strict'
import { BOTH_ANSWERS, FAILURE, GREET, GROWN, LINE, MODEL_ANSWER, NEXT, NOTE, PLACE, TOOLS, ZONE } from '../contract.js'

export const namesOf = (tools) => tools.map(({ name }) => name)

/** Settles with the first notification of a kind after `trigger`. */
export async function heard({ client, sdk }, schema, trigger) {
  const first = new Promise((resolve) => {
    client.setNotificationHandler(sdk[schema], resolve)
  })
  await trigger()
  return await first
}

export const call = async ({ callTool }, name, args = {}, options) =>
  (await callTool({ name, arguments: args }, options)).content[0]?.text

const answerModel = ({ client, sdk }) =>
  client.setRequestHandler(sdk.CreateMessageRequestSchema, () => ({
    role: 'assistant',
    model: 'none',
    content: { type: 'text', text: MODEL_ANSWER },
  }))

const answerUser = ({ client, sdk }) =>
  client.setRequestHandler(sdk.ElicitRequestSchema, () => ({ action: 'accept', content: { yes: true } }))

export const theirProbes = {
  async initialize({ client }) {
    assert.equal(client.getServerVersion().name, 'parley-interop')
    await client.ping()
  },
  /** First as somebody who does not know what the tool wants, and then as somebody who does. */
  async header(peer) {
    assert.equal(await call(peer, 'zone', { zone: ZONE }), ZONE)
    await peer.client.listTools()
    assert.equal(await call(peer, 'zone', { zone: ZONE }), ZONE)
  },
  async tools({ client }) {
    assert.deepEqual(namesOf((await client.listTools()).tools), [...TOOLS, NEXT])
  },
  async call(peer) {
    assert.equal(await call(peer, 'echo', { text: 'grüße 🎈' }), 'grüße 🎈')
  },
  async unknown({ callTool }) {
    await assert.rejects(callTool({ name: 'no-such-tool', arguments: {} }), { code: -32602 })
  },
  async structured({ callTool }) {
    const { structuredContent } = await callTool({ name: 'sum', arguments: { a: 40, b: 2 } })
    assert.deepEqual(structuredContent, { sum: 42 })
  },
  async error({ callTool }) {
    const { isError, content } = await callTool({ name: 'fail', arguments: {} })
    assert.equal(isError, true)
    assert.equal(content[0].text, FAILURE)
  },
  async progress(peer) {
    const steps = []
    const onprogress = ({ progress, total }) => {
      steps.push([progress, total])
      call(peer, NEXT).catch(() => {})
    }
    await call(peer, 'steps', {}, { onprogress })
    assert.deepEqual(steps, [
      [1, 3],
      [2, 3],
      [3, 3],
    ])
  },
  async cancel(peer) {
    const controller = new AbortController()
    await assert.rejects(
      call(peer, 'wait', {}, { signal: controller.signal, onprogress: () => controller.abort('enough') }),
    )
    assert.equal(await call(peer, 'cancelled'), 'yes')
  },
  async read({ client }) {
    assert.deepEqual(
      (await client.listResources()).resources.map(({ uri }) => uri),
      [NOTE.uri],
    )
    assert.equal((await client.readResource({ uri: NOTE.uri })).contents[0].text, NOTE.text)
  },
  async missing({ client }, { notFound }) {
    await assert.rejects(client.readResource({ uri: 'notes://none' }), { code: notFound })
  },
  async subscribe(peer) {
    await peer.client.subscribeResource({ uri: NOTE.uri })
    const { params } = await heard(peer, 'ResourceUpdatedNotificationSchema', () => call(peer, 'touch'))
    assert.equal(params.uri, NOTE.uri)
    await peer.client.unsubscribeResource({ uri: NOTE.uri })
  },
  async list_changed(peer) {
    await heard(peer, 'ToolListChangedNotificationSchema', () => call(peer, 'grow'))
    assert.ok(namesOf((await peer.client.listTools()).tools).includes(GROWN))
  },
  async prompt({ client }) {
    assert.deepEqual(namesOf((await client.listPrompts()).prompts), [GREET.name])
    const { messages } = await client.getPrompt({ name: GREET.name, arguments: { [GREET.argument]: 'Ann' } })
    assert.equal(messages[0].content.text, GREET.say('Ann'))
  },
  async complete({ client }) {
    const ref = { type: 'ref/prompt', name: GREET.name }
    const { completion } = await client.complete({ ref, argument: { name: GREET.argument, value: 'An' } })
    assert.deepEqual(completion.values, ['Ann', 'Anton'])
  },
  async logging(peer) {
    await peer.client.setLoggingLevel('debug')
    const { params } = await heard(peer, 'LoggingMessageNotificationSchema', () => call(peer, 'log'))
    assert.equal(params.data, LINE)
  },
  async sampling(peer) {
    answerModel(peer)
    assert.equal(await call(peer, 'ask-model'), MODEL_ANSWER)
  },
  async elicitation(peer) {
    answerUser(peer)
    assert.equal(await call(peer, 'ask-user'), 'accept true')
  },
  async roots(peer) {
    peer.client.setRequestHandler(peer.sdk.ListRootsRequestSchema, () => ({ roots: [PLACE] }))
    assert.equal(await call(peer, 'places'), PLACE.uri)
  },
  async together(peer) {
    answerModel(peer)
    answerUser(peer)
    assert.equal(await call(peer, 'ask-both'), BOTH_ANSWERS)
  },
  async in_turn(peer) {
    answerModel(peer)
    answerUser(peer)
    assert.equal(await call(peer, 'ask-twice'), BOTH_ANSWERS)
  },
  async tasks({ client, sdk }) {
    const seen = []
    for await (const { type, result, error } of client.experimental.tasks.callToolStream(
      { name: 'job', arguments: {} },
      sdk.CallToolResultSchema,
      {
        task: {},
      },
    )) {
      if (error !== undefined) throw error
      seen.push(type)
      if (type === 'result') assert.equal(result.content[0].text, 'done')
    }
    assert.equal(seen[0], 'taskCreated')
    assert.equal(seen.at(-1), 'result')
  },
}
