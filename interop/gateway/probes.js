/**
 * What a client is tried with through the gateway on servers that keep the contract: for each verdict that is possible,
 * what has to be seen for it.
 */
import assert from 'node:assert/strict'
import { FAILURE, GREET, GROWN, LINE, MODEL_ANSWER, NOTE, PLACE, SUM_OUTPUT, ZONE } from '../contract.js'
import { call, heard, namesOf } from '../probes/their-client.js'
import { NOTICED, POINTER, SOUND } from './contract.js'
import { questions } from './questions.js'
import { failureOf, isStateless, listening, watching } from './seeing.js'

const LEVEL = 'io.modelcontextprotocol/logLevel'
const NOT_FOUND = { handshake: -32002, stateless: -32602 }

const called = ({ callTool }, name, args = {}) => callTool({ name, arguments: args })

/**
 * A tool that runs as a task only: the versions that have tasks in their lists say so, and others call it as any other.
 */
export function listedAs(tool) {
  const executionOf = async ({ client }) => {
    const listed = (await client.listTools()).tools.find(({ name }) => name === tool)
    assert.ok(listed !== undefined, `${tool} is missing`)
    return listed.execution
  }
  return {
    ok: async (peer) => assert.deepEqual(await executionOf(peer), { taskSupport: 'required' }),
    degraded: async (peer) => assert.equal(await executionOf(peer), undefined),
  }
}

export const probes = {
  ...questions,
  agree: {
    async ok(peer) {
      const { client, version } = peer
      assert.equal(typeof client.getServerVersion().name, 'string')
      if (isStateless(peer)) assert.ok((await client.discover()).supportedVersions.includes(version))
      else await client.ping()
    },
  },
  list: {
    async ok({ client }) {
      const names = namesOf((await client.listTools()).tools)
      for (const name of ['echo', 'sum', 'fail', 'paced', 'ask-in-turn'])
        assert.ok(names.includes(name), `${name} is missing`)
    },
  },
  call: {
    async ok(peer) {
      assert.equal(await call(peer, 'echo', { text: 'grüße 🎈' }), 'grüße 🎈')
    },
  },
  /** Before its schema is known, and after. */
  header: {
    async ok(peer) {
      assert.equal(await call(peer, 'zone', { zone: ZONE }), ZONE)
      await peer.client.listTools()
      assert.equal(await call(peer, 'zone', { zone: ZONE }), ZONE)
    },
  },
  structured: {
    async ok(peer) {
      const listed = (await peer.client.listTools()).tools.find(({ name }) => name === 'sum')
      assert.deepEqual(listed.outputSchema?.required, SUM_OUTPUT.required)
      assert.deepEqual((await called(peer, 'sum', { a: 40, b: 2 })).structuredContent, { sum: 42 })
    },
    async degraded(peer) {
      const listed = (await peer.client.listTools()).tools.find(({ name }) => name === 'sum')
      assert.equal(listed.outputSchema, undefined)
      const { structuredContent, content } = await called(peer, 'sum', { a: 40, b: 2 })
      assert.equal(structuredContent, undefined)
      assert.deepEqual(
        content.map(({ text }) => JSON.parse(text)),
        [{ sum: 42 }],
      )
    },
  },
  audio: {
    async ok(peer) {
      assert.deepEqual((await called(peer, 'sound')).content, [SOUND])
    },
    async degraded(peer) {
      const [line, embedded, ...rest] = (await called(peer, 'sound')).content
      assert.deepEqual(line, { type: 'text', text: `[Audio content: ${SOUND.mimeType}]` })
      assert.match(embedded.resource.uri, /^urn:sha256:[0-9a-f]{64}$/)
      assert.deepEqual({ ...embedded.resource, uri: '' }, { uri: '', mimeType: SOUND.mimeType, blob: SOUND.data })
      assert.deepEqual(rest, [])
    },
  },
  link: {
    async ok(peer) {
      assert.deepEqual((await called(peer, 'pointer')).content, [POINTER])
    },
    async degraded(peer) {
      const [{ type, text }, ...rest] = (await called(peer, 'pointer')).content
      assert.equal(type, 'text')
      for (const part of [POINTER.name, POINTER.uri, POINTER.mimeType, POINTER.description])
        assert.ok(text.includes(part), `${part} is not in ${text}`)
      assert.deepEqual(rest, [])
    },
  },
  error: {
    async ok(peer) {
      const { isError, content } = await called(peer, 'fail')
      assert.equal(isError, true)
      assert.deepEqual(content, [{ type: 'text', text: FAILURE }])
    },
  },
  unknown: {
    async ok(peer) {
      await failureOf(called(peer, 'no-such-tool'))
    },
  },
  progress: {
    async ok(peer) {
      const steps = []
      const ref = { type: 'ref/prompt', name: GREET.name }
      const onprogress = ({ progress, total }) => {
        steps.push([progress, total])
        peer.client.complete({ ref, argument: { name: GREET.argument, value: NOTICED } }).catch(() => {})
      }
      assert.equal(await call(peer, 'paced', {}, { onprogress }), 'done')
      assert.deepEqual(steps, [
        [1, 3],
        [2, 3],
        [3, 3],
      ])
    },
  },
  cancel: {
    async ok(peer) {
      const controller = new AbortController()
      await assert.rejects(
        call(peer, 'wait', {}, { signal: controller.signal, onprogress: () => controller.abort('enough') }),
      )
      assert.equal(await call(peer, 'cancelled'), 'yes')
    },
  },
  read: {
    async ok({ client }) {
      assert.deepEqual(
        (await client.listResources()).resources.map(({ uri }) => uri),
        [NOTE.uri],
      )
      assert.equal((await client.readResource({ uri: NOTE.uri })).contents[0].text, NOTE.text)
    },
  },
  missing: {
    async ok(peer) {
      const code = isStateless(peer) ? NOT_FOUND.stateless : NOT_FOUND.handshake
      await assert.rejects(peer.client.readResource({ uri: 'notes://none' }), { code })
    },
  },
  subscribe: {
    async ok(peer) {
      const { params } = await watching(peer, NOTE.uri, () =>
        heard(peer, 'ResourceUpdatedNotificationSchema', () => call(peer, 'touch')),
      )
      assert.equal(params.uri, NOTE.uri)
    },
  },
  list_changed: {
    async ok(peer) {
      await listening(peer, { toolsListChanged: true }, () =>
        heard(peer, 'ToolListChangedNotificationSchema', () => call(peer, 'grow')),
      )
      assert.ok(namesOf((await peer.client.listTools()).tools).includes(GROWN))
    },
  },
  prompt: {
    async ok({ client }) {
      assert.deepEqual(namesOf((await client.listPrompts()).prompts), [GREET.name])
      const { messages } = await client.getPrompt({ name: GREET.name, arguments: { [GREET.argument]: 'Ann' } })
      assert.deepEqual(messages, [{ role: 'user', content: { type: 'text', text: GREET.say('Ann') } }])
    },
  },
  complete: {
    async ok({ client }) {
      const ref = { type: 'ref/prompt', name: GREET.name }
      const { completion } = await client.complete({ ref, argument: { name: GREET.argument, value: 'An' } })
      assert.deepEqual(completion.values, ['Ann', 'Anton'])
    },
  },
  /** In the stateless era only who asks for it with the request hears of it. */
  logging: {
    async ok(peer) {
      if (!isStateless(peer)) {
        await peer.client.setLoggingLevel('debug')
        const { params } = await heard(peer, 'LoggingMessageNotificationSchema', () => call(peer, 'log'))
        return assert.equal(params.data, LINE)
      }
      const lines = []
      peer.client.setNotificationHandler(peer.sdk.LoggingMessageNotificationSchema, ({ params }) =>
        lines.push(params.data),
      )
      for (const level of [undefined, 'error', 'info'])
        await peer.callTool({ name: 'log', arguments: {}, ...(level && { _meta: { [LEVEL]: level } }) })
      assert.deepEqual(lines, [LINE])
    },
  },
  sampling: {
    async ok(peer) {
      assert.equal(await call(peer, 'ask-model'), MODEL_ANSWER)
    },
  },
  in_turn: {
    async ok(peer) {
      assert.equal(await call(peer, 'ask-in-turn'), `${MODEL_ANSWER} ${PLACE.uri}`)
    },
  },
  roots: {
    async ok(peer) {
      assert.equal(await call(peer, 'places'), PLACE.uri)
    },
  },
  'tools-list': listedAs('long-job'),
  tasks: {
    async ok({ client, sdk }) {
      const events = []
      const stream = client.experimental.tasks.callToolStream(
        { name: 'long-job', arguments: {} },
        sdk.CallToolResultSchema,
        { task: {} },
      )
      for await (const event of stream) events.push(event)
      const [first, last] = [events[0], events.at(-1)]
      assert.equal(first.type, 'taskCreated', String(first.error))
      assert.equal(last.result?.content[0].text, 'done', String(last.error))
    },
    async degraded(peer) {
      assert.equal(await call(peer, 'long-job'), 'done')
    },
  },
}
