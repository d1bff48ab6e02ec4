/**
 * One client and one server meet through the gateway: the probes, what became of each, and every frame on both sides.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { startProgram } from '../../scripts/program.js'
import { Recording } from '../record.js'
import { within } from '../within.js'
import { bridgeTo, recorded, WHO } from './arrangement.js'
import { connectClient } from './client.js'
import { probesFor } from './everything.js'
import { expected, PROBES } from './expectations.js'
import { startProxy } from './proxy.js'
import { NOT_TRIED } from './table.js'

const PATIENCE = 20_000
const PATHS = { http: 'mcp', sse: 'sse' }
const TRANSPORTS = { http: 'streamable-http', sse: 'sse' }

/** What has to be there before the gateway starts, because its configuration names it. */
export async function prepare(pair, folder) {
  const files = { client: join(folder, `${pair.name}.client`), server: join(folder, `${pair.name}.server`) }
  const recordings = { client: new Recording(), server: new Recording() }
  const { program } = pair.server
  if (pair.upstream === 'stdio') {
    const args = [...recorded(files.server, 'theirs'), ...program('stdio')]
    return { pair, files, recordings, entry: { command: process.execPath, args, lazy: true } }
  }
  // The server itself is started for the meeting: what it remembers is nobody else's business.
  const proxy = await startProxy({ asker: 'ours', tell: (...frame) => recordings.server.add(...frame) })
  return {
    pair,
    files,
    recordings,
    proxy,
    entry: { url: `${proxy.origin}/${PATHS[pair.upstream]}`, transport: TRANSPORTS[pair.upstream], lazy: true },
  }
}

/** Everything that was opened for a meeting, closed in the reverse order whatever happens. */
class Closing {
  #steps = []
  add(step) {
    this.#steps.unshift(step)
  }
  async run() {
    for (const step of this.#steps) await step()
  }
}

/** `gateway` is the running one; without it client and server meet directly, to see whether the probes are right. */
export async function meet({ pair, files, recordings, proxy, entry }, gateway) {
  const closing = new Closing()
  const outcomes = {}
  try {
    if (proxy !== undefined) {
      closing.add(proxy.close)
      const running = await startProgram(pair.server.program(pair.upstream))
      proxy.target = running.url
      closing.add(running.stop)
    }
    const way = await (gateway === undefined ? directWay : gatewayWay)({
      pair,
      files,
      recordings,
      proxy,
      entry,
      gateway,
      closing,
    })
    const peer = await connectClient(pair.client, pair.downstream, way)
    closing.add(() => peer.client.close())
    const probes = probesFor(pair.server)
    for (const name of PROBES)
      outcomes[name] = await tried(probes[name], expected(name, pair.client, pair.server), peer, pair)
  } catch (error) {
    outcomes.agree = failed(`no connection: ${error.message}`)
  }
  await closing.run().catch((error) => {
    outcomes.close = failed(`closing: ${error.message}`)
  })
  for (const side of ['client', 'server']) if (existsSync(files[side])) recordings[side].addFile(files[side])
  for (const name of PROBES) outcomes[name] ??= failed(NOT_TRIED)
  const spoken = { client: recordings.client.versions, server: recordings.server.versions }
  for (const [side, versions] of Object.entries(spoken)) {
    if (outcomes.agree.verdict === 'ok' && gateway !== undefined && versions.join() !== pair[side].version)
      outcomes.agree = failed(
        `with the ${side} ${versions.join() || 'nothing'} was spoken instead of ${pair[side].version}`,
      )
  }
  return { pair, outcomes, recordings }
}

const failed = (why) => ({ verdict: 'fail', why })

async function gatewayWay({ pair, files, recordings, entry, gateway, closing }) {
  if (pair.downstream === 'stdio') return bridgeTo(pair, entry, gateway.file, files.client)
  const proxy = await startProxy({
    asker: 'theirs',
    target: gateway.origin,
    tell: (...frame) => recordings.client.add(...frame),
  })
  closing.add(proxy.close)
  return { url: `${proxy.origin}/servers/${pair.name}/${PATHS[pair.downstream]}`, headers: { [WHO]: pair.name } }
}

const directWay = ({ pair, files, proxy }) =>
  pair.upstream === 'stdio'
    ? { command: process.execPath, args: [...recorded(files.server, 'theirs'), ...pair.server.program('stdio')] }
    : { url: `${proxy.origin}/${PATHS[pair.upstream]}` }

/** What was expected, if it is what was seen; else what went wrong. */
async function tried(probe, { verdict }, peer, pair) {
  if (verdict === 'n/a') return { verdict }
  try {
    await within(PATIENCE, probe[verdict](peer, pair))
    return { verdict }
  } catch (error) {
    return failed(`${verdict} was expected: ${String(error?.message ?? error)}`)
  }
}
