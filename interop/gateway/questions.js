/** Questions to the user through the gateway: forms, addresses and choices, and what is said where a client cannot be asked. */
import assert from 'node:assert/strict'
import { USER_PROMPT } from '../contract.js'
import { call } from '../probes/their-client.js'
import { ADDRESS, CHOICES, CHOOSE, CHOSEN } from './contract.js'
import { failureOf } from './seeing.js'

/** Calls a tool that asks, and gives its text and what the client was asked. */
export async function asked(peer, tool, answer, args = {}) {
  const seen = []
  peer.elicit = (params) => {
    seen.push(params)
    return answer(params)
  }
  const text = await call(peer, tool, args)
  assert.equal(seen.length, 1, `the user was asked ${seen.length} times`)
  return { text, params: seen[0] }
}

/** Whoever reads the error has to learn that the client's version is the reason. */
const refusedBy = (tool) => async (peer) => {
  const message = await failureOf(peer.callTool({ name: tool, arguments: {} }))
  assert.ok(message.includes(peer.version), `the version gap is not named: ${message}`)
}

const accept = (content) => ({ action: 'accept', content })

/** Of what is chosen, that which the form asks for. */
const answersTo = ({ properties }) => Object.fromEntries(Object.entries(CHOSEN).filter(([key]) => key in properties))

/** A choice of several, where a form can only ask for one yes or no each. */
export const isFanned = (key) => (name) => name.startsWith(`${key}.`)

function fannedAnswersTo({ properties }) {
  const fanned = Object.keys(properties).flatMap((name) => {
    const [key, value] = name.split('.')
    return value === undefined ? [] : [[name, CHOSEN[key].includes(value)]]
  })
  return { ...answersTo({ properties }), ...Object.fromEntries(fanned) }
}

export const questions = {
  elicitation: {
    async ok(peer) {
      const { text, params } = await asked(peer, 'ask-user', () => accept({ yes: true }))
      assert.equal(params.message, USER_PROMPT)
      assert.deepEqual(Object.keys(params.requestedSchema.properties), ['yes'])
      assert.equal(text, 'accept true')
    },
    refused: refusedBy('ask-user'),
  },
  url: {
    async ok(peer) {
      const { text, params } = await asked(peer, 'ask-address', () => ({ action: 'accept' }))
      assert.deepEqual({ mode: params.mode, url: params.url, message: params.message }, { mode: 'url', ...ADDRESS })
      assert.equal(text, 'accept')
    },
    refused: refusedBy('ask-address'),
  },
  enums: {
    async ok(peer, { server }) {
      const choices = CHOICES[server.version < '2025-11-25' ? server.version : '2025-11-25']
      const { text, params } = await asked(peer, 'ask-choices', ({ requestedSchema }) => accept(answersTo(requestedSchema)))
      assert.equal(params.message, CHOOSE)
      assert.deepEqual(params.requestedSchema.properties, choices)
      assert.deepEqual(JSON.parse(text), accept(answersTo({ properties: choices })))
    },
    async degraded(peer) {
      const { text, params } = await asked(peer, 'ask-choices', ({ requestedSchema }) => accept(fannedAnswersTo(requestedSchema)))
      const { titled, ...properties } = params.requestedSchema.properties
      const choices = CHOICES['2025-11-25']
      assert.deepEqual([titled.enum, titled.enumNames], [choices.titled.oneOf.map((option) => option.const), choices.titled.oneOf.map(({ title }) => title)])
      for (const key of ['several', 'titledSeveral']) {
        const names = Object.keys(properties).filter(isFanned(key))
        assert.deepEqual(
          names.map((name) => properties[name].type),
          ['boolean', 'boolean', 'boolean'],
        )
      }
      assert.deepEqual(JSON.parse(text), accept(CHOSEN))
    },
    refused: refusedBy('ask-choices'),
  },
}
