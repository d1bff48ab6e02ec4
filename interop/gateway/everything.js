/** What a client is tried with through the gateway on the reference server, which has names of its own. */
import assert from 'node:assert/strict'
import { MODEL_ANSWER, PLACE } from '../contract.js'
import { call, heard, namesOf } from '../probes/their-client.js'
import { listedAs, probes } from './probes.js'
import { asked, isFanned, soon } from './questions.js'
import { failureOf, listening, watching } from './seeing.js'

const RESOURCE = 'demo://resource/dynamic/text/1'
const FILE = { name: 'small.gz', data: 'data:text/plain,hello', outputType: 'resourceLink' }
const RESEARCH = { name: 'simulate-research-query', arguments: { topic: 'patience' } }
const FORM = 'trigger-elicitation-request'
const ADDRESS = { url: 'https://example.com/sign-in', message: 'Please sign in' }

const textsOf = ({ content }) => content.map(({ text }) => text).join('\n')
const acceptForm = () => ({ action: 'accept', content: { name: 'Ann' } })

export const everythingProbes = {
  agree: probes.agree,
  list: {
    async ok({ client }) {
      assert.ok(namesOf((await client.listTools()).tools).includes('get-structured-content'))
    },
  },
  call: {
    async ok(peer) {
      assert.equal(await call(peer, 'echo', { message: 'grüße 🎈' }), 'Echo: grüße 🎈')
    },
  },
  structured: {
    async ok({ callTool }) {
      const { structuredContent } = await callTool({
        name: 'get-structured-content',
        arguments: { location: 'Chicago' },
      })
      assert.equal(typeof structuredContent.temperature, 'number')
    },
    async degraded({ callTool }) {
      const { structuredContent, content } = await callTool({
        name: 'get-structured-content',
        arguments: { location: 'Chicago' },
      })
      assert.equal(structuredContent, undefined)
      assert.equal(typeof JSON.parse(content[0].text).temperature, 'number')
    },
  },
  link: {
    async ok({ callTool }) {
      const { content } = await callTool({ name: 'get-resource-links', arguments: { count: 2 } })
      assert.deepEqual(
        content.map(({ type }) => type),
        ['text', 'resource_link', 'resource_link'],
      )
    },
    async degraded({ callTool }) {
      const { content } = await callTool({ name: 'get-resource-links', arguments: { count: 2 } })
      assert.ok(content.every(({ type }) => type === 'text'))
      assert.match(content[1].text, /Blob Resource 1.*demo:\/\//)
    },
  },
  error: {
    async ok({ callTool }) {
      await failureOf(callTool({ name: 'get-sum', arguments: { a: 'no number' } }))
    },
  },
  unknown: probes.unknown,
  progress: {
    async ok(peer) {
      const steps = []
      // The SDK 2.4 reports rounds of questions here as well; those have no total.
      const onprogress = ({ progress, total }) => total !== undefined && steps.push([progress, total])
      await call(peer, 'trigger-long-running-operation', { duration: 1.5, steps: 3 }, { onprogress })
      // The last one comes in one piece with the result, and is then lost by some clients.
      assert.deepEqual(steps.slice(0, 2), [
        [1, 3],
        [2, 3],
      ])
    },
  },
  read: {
    async ok({ client }) {
      assert.ok((await client.listResourceTemplates()).resourceTemplates.length > 0)
      assert.match((await client.readResource({ uri: RESOURCE })).contents[0].text, /plaintext resource/)
    },
  },
  missing: {
    async ok({ client }) {
      await assert.rejects(client.readResource({ uri: 'demo://nowhere' }), { code: -32602 })
    },
  },
  subscribe: {
    async ok(peer) {
      const news = () => heard(peer, 'ResourceUpdatedNotificationSchema', () => call(peer, 'toggle-subscriber-updates'))
      const { params } = await watching(peer, RESOURCE, news)
      assert.equal(params.uri, RESOURCE)
      await call(peer, 'toggle-subscriber-updates')
    },
  },
  list_changed: {
    async ok(peer) {
      const news = () =>
        heard(peer, 'ResourceListChangedNotificationSchema', () => call(peer, 'gzip-file-as-resource', FILE))
      await listening(peer, { resourcesListChanged: true }, news)
    },
  },
  prompt: {
    async ok({ client }) {
      assert.ok(namesOf((await client.listPrompts()).prompts).includes('args-prompt'))
      assert.match(
        (await client.getPrompt({ name: 'args-prompt', arguments: { city: 'Oslo' } })).messages[0].content.text,
        /Oslo/,
      )
    },
  },
  complete: {
    async ok({ client }) {
      const ref = { type: 'ref/prompt', name: 'completable-prompt' }
      const { completion } = await client.complete({ ref, argument: { name: 'department', value: 'S' } })
      assert.deepEqual(completion.values, ['Sales', 'Support'])
    },
  },
  logging: {
    async ok(peer) {
      await peer.client.setLoggingLevel('debug')
      await heard(peer, 'LoggingMessageNotificationSchema', () => call(peer, 'toggle-simulated-logging'))
      await call(peer, 'toggle-simulated-logging')
    },
    async degraded(peer) {
      let lines = 0
      peer.client.setNotificationHandler(peer.sdk.LoggingMessageNotificationSchema, () => lines++)
      assert.match(await call(peer, 'toggle-simulated-logging'), /Started/)
      assert.match(await call(peer, 'toggle-simulated-logging'), /Stopped/)
      assert.equal(lines, 0, 'nobody asked for these lines')
    },
  },
  sampling: {
    async ok({ callTool }) {
      assert.ok(
        textsOf(
          await callTool({ name: 'trigger-sampling-request', arguments: { prompt: 'What is it?', maxTokens: 10 } }),
        ).includes(MODEL_ANSWER),
      )
    },
  },
  elicitation: {
    async ok(peer) {
      const { params, text } = await asked(peer, FORM, acceptForm)
      assert.ok('name' in params.requestedSchema.properties)
      assert.match(text, /✅/)
    },
  },
  url: {
    async ok(peer) {
      const { params, text } = await asked(peer, 'trigger-url-elicitation', () => ({ action: 'accept' }), ADDRESS)
      assert.equal(params.url, ADDRESS.url)
      assert.match(text, /✅/)
    },
  },
  /** The address of the error is a condition for the question that follows when the call is made again. */
  'url-error': {
    async ok(peer) {
      const request = { name: 'trigger-url-elicitation', arguments: { ...ADDRESS, errorPath: true } }
      const { code, data } = await soon(peer.callTool(request)).catch((error) => error)
      assert.equal(code, -32042)
      assert.equal(data.elicitations[0].mode, 'url')
      const { text } = await soon(asked(peer, request.name, () => ({ action: 'accept' }), request.arguments))
      assert.match(text, /✅/)
    },
    async degraded(peer) {
      const urls = []
      peer.elicit = ({ url }) => {
        urls.push(url)
        return { action: 'accept' }
      }
      assert.match(await soon(call(peer, 'trigger-url-elicitation', { ...ADDRESS, errorPath: true })), /✅/)
      assert.deepEqual([urls.length, urls[1]], [2, ADDRESS.url])
    },
  },
  enums: {
    async ok(peer) {
      const { properties } = (await asked(peer, FORM, acceptForm)).params.requestedSchema
      assert.equal(properties.untitledMultipleSelectEnum.type, 'array')
      assert.equal(properties.titledSingleSelectEnum.oneOf.length, 3)
    },
    async degraded(peer) {
      const { properties } = (await asked(peer, FORM, acceptForm)).params.requestedSchema
      assert.equal(properties.titledSingleSelectEnum.enumNames.length, 3)
      const fanned = Object.keys(properties).filter(isFanned('untitledMultipleSelectEnum'))
      assert.equal(fanned.length, 5)
      for (const name of fanned) assert.equal(properties[name].type, 'boolean')
    },
  },
  roots: {
    async ok({ callTool }) {
      assert.ok(textsOf(await callTool({ name: 'get-roots-list', arguments: {} })).includes(PLACE.uri))
    },
  },
  'tools-list': listedAs(RESEARCH.name),
  tasks: {
    async ok({ client, sdk }) {
      const types = []
      for await (const { type, task, error } of client.experimental.tasks.callToolStream(
        RESEARCH,
        sdk.CallToolResultSchema,
        { task: {} },
      )) {
        if (error !== undefined) throw error
        types.push(type)
        if (type === 'taskCreated') await client.experimental.tasks.cancelTask(task.taskId)
        if (task?.status === 'cancelled') break
      }
      assert.equal(types[0], 'taskCreated')
    },
    async degraded({ callTool }) {
      assert.match(textsOf(await callTool(RESEARCH)), /patience/)
    },
  },
}
export const probesFor = ({ title }) => (title === 'server-everything' ? everythingProbes : probes)
