/**
 * What the stateless era costs without HTTP, and what the ability to ask costs tools that do not ask. All of it runs in
 * this process.
 */
import { register } from 'node:module'
import { entryOf } from '../checkout.js'
import { alternating, compete } from '../rounds.js'
import { args, clientIdentity, description, forecast, identity, input, output } from '../subject.js'
import { callTool as callInSession, checkCall } from '../transports/messages.js'
import { looseServer, looseSession, repeatedly } from './loose-server.js'
import { callTool, VERSION } from './messages.js'

const HANDSHAKE = '2025-11-25'

const serverOf = (engine, options) =>
  engine.createServer(identity, options).add(engine.tool('forecast', { description, input, output }, forecast))

function checked(loose, text) {
  loose.deliver(text)
  checkCall(loose.last())
  return loose
}

/** The JSON work of one call: the request is read, the answer written. */
function floorOf(loose, text) {
  const answer = JSON.parse(checked(loose, text).last())
  return (count) => {
    let written = 0
    for (let at = 0; at < count; at++) {
      JSON.parse(text)
      written += JSON.stringify(answer).length
    }
    return written
  }
}

/** The server alone: from the text of the request to the text of the answer. */
async function serverSide(effort, checkouts) {
  const lists = []
  for (const { root, nameOf } of checkouts) {
    const server = serverOf(await import(entryOf(root, 'server')))
    lists.push([
      { name: nameOf(`JSON of ${HANDSHAKE}`), run: floorOf(looseSession(server), callInSession) },
      { name: nameOf(`JSON of ${VERSION}`), run: floorOf(looseServer(server), callTool.text) },
      { name: nameOf(HANDSHAKE), run: repeatedly(checked(looseSession(server), callInSession), callInSession) },
      { name: nameOf(VERSION), run: repeatedly(checked(looseServer(server), callTool.text), callTool.text) },
    ])
  }
  return await compete(alternating(lists), effort)
}

/** Parley's client and server over a link in memory. */
async function bothSides(effort, checkouts) {
  const lists = []
  for (const { root, nameOf } of checkouts) {
    const { connect } = await import(entryOf(root, 'client'))
    const server = serverOf(await import(entryOf(root, 'server')))
    const entries = []
    for (const version of [HANDSHAKE, VERSION]) {
      const client = await connect(server, { info: clientIdentity, version })
      const run = async (count) => {
        for (let at = 0; at < count; at++) await client.call('forecast', args)
      }
      entries.push({ name: nameOf(version), run, close: () => client.close() })
    }
    lists.push(entries)
  }
  const entries = alternating(lists)
  const results = await compete(entries, effort)
  await Promise.all(entries.map(({ close }) => close()))
  return results
}

/**
 * The same engine three times, with modules of its own each, so that none profits from what another made the compiler
 * do.
 */
async function ability(effort) {
  register('./without-asking.js', import.meta.url)
  const engine = (mark) => import(`../../.cache/engine/server/index.js${mark}`)
  const subjects = [
    { name: 'cannot ask', mark: '?plain' },
    { name: 'can ask', mark: '?able' },
    { name: 'can ask, by replay', mark: '?replay', options: { stateless: true } },
  ]
  const entries = []
  for (const { name, mark, options } of subjects) {
    const copy = await engine(mark)
    let given
    const look = copy.tool('look', { input }, (_, ctx) => {
      given = ctx
      return ''
    })
    const loose = looseServer(serverOf(copy, options).add(look))
    loose.deliver(callTool.text.replace('"forecast"', '"look"'))
    if ((given.elicit === undefined) !== (mark === '?plain')) throw new Error(`The engine that ${name} is another one`)
    entries.push({ name, run: repeatedly(checked(loose, callTool.text), callTool.text) })
  }
  return await compete(entries, effort)
}

export const engineParts = [
  {
    id: 'server',
    title: 'tools/call without HTTP, the server alone: text of the request in, text of the answer out',
    base: HANDSHAKE,
    measure: serverSide,
  },
  {
    id: 'pair',
    title: 'tools/call without HTTP, client and server over a link in memory',
    base: HANDSHAKE,
    measure: bothSides,
  },
  {
    id: 'ability',
    title: 'tools/call at 2026-07-28 of a tool that asks nothing, the server alone',
    base: 'cannot ask',
    goal: 0.97,
    measure: ability,
  },
]
