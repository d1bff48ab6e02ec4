/**
 * Questions to the user through the gateway: forms, addresses and choices, and what is said where a client cannot be
 * asked.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { USER_PROMPT } from '../contract.js'
import { call } from '../probes/their-client.js'
import { ADDRESS, CHOICES, CHOOSE, CHOSEN } from './contract.js'
import { failureOf, isStateless } from './seeing.js'

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

/** The user accepts as often as asked, signs in at one of these visits, and declines the third question. */
async function visiting(peer, request, signIn, visits) {
  let asked = 0
  peer.elicit = ({ mode, url, message }) => {
    assert.deepEqual({ mode, url, message }, { mode: 'url', ...ADDRESS })
    asked++
    if (asked === visits) signIn()
    return { action: asked === 3 ? 'decline' : 'accept' }
  }
  const { isError = false, content } = await soon(peer.callTool(request))
  assert.deepEqual(
    { asked, isError },
    visits < 3 ? { asked: visits, isError: false } : { asked: 3, isError: true },
    content[0].text,
  )
}

/** What the user does at the address makes the file. */
async function withAccount(work) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-account-'))
  const account = join(folder, 'account')
  try {
    await work({ name: 'sign-in', arguments: { account } }, () => writeFileSync(account, ''))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Clients give a call up that is not answered in time; in the SDK 2.4 each round has its own. */
const SOON = 5000

export async function soon(calling) {
  let timer
  const tooLate = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${SOON / 1000} s`)), SOON)
  })
  return await Promise.race([calling, tooLate]).finally(() => clearTimeout(timer))
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
  'url-error': {
    ok: (peer) =>
      withAccount(async (request, signIn) => {
        const { code, data } = await soon(peer.callTool(request)).catch((error) => error)
        assert.equal(code, -32042)
        const [{ mode, url, message }] = data.elicitations
        assert.deepEqual({ mode, url, message }, { mode: 'url', ...ADDRESS })
        signIn()
        assert.equal((await soon(peer.callTool(request))).content[0].text, 'signed in')
      }),
    async degraded(peer) {
      if (!isStateless(peer)) {
        return await withAccount(async (request) => {
          const message = await failureOf(soon(peer.callTool(request)))
          assert.ok(message.includes(ADDRESS.url), `the address is not named: ${message}`)
        })
      }
      // A user who signs in, one who comes back later, and one who never does.
      for (const visits of [1, 2, Number.POSITIVE_INFINITY])
        await withAccount((request, signIn) => visiting(peer, request, signIn, visits))
    },
  },
  enums: {
    async ok(peer, { server }) {
      const choices = CHOICES[server.version < '2025-11-25' ? server.version : '2025-11-25']
      const { text, params } = await asked(peer, 'ask-choices', ({ requestedSchema }) =>
        accept(answersTo(requestedSchema)),
      )
      assert.equal(params.message, CHOOSE)
      assert.deepEqual(params.requestedSchema.properties, choices)
      assert.deepEqual(JSON.parse(text), accept(answersTo({ properties: choices })))
    },
    async degraded(peer) {
      const { text, params } = await asked(peer, 'ask-choices', ({ requestedSchema }) =>
        accept(fannedAnswersTo(requestedSchema)),
      )
      const { titled, ...properties } = params.requestedSchema.properties
      const choices = CHOICES['2025-11-25']
      assert.deepEqual(
        [titled.enum, titled.enumNames],
        [choices.titled.oneOf.map((option) => option.const), choices.titled.oneOf.map(({ title }) => title)],
      )
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
