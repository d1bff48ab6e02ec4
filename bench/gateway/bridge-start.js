/**
 * What `parley bridge` adds to the start of a server: from the start of a process to the answer to `initialize`, beside
 * the server alone and Node alone.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { gatewayOf } from '../checkout.js'
import { median } from '../rounds.js'
import { initializeOf } from './loads.js'
import { stdioServer } from './subjects.js'

const VERSION = '2025-11-25'

/** Milliseconds until Node has run an empty program and ended. */
async function bareStart() {
  const start = performance.now()
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit')
  return performance.now() - start
}

/** Milliseconds until the answer; the request waits in the pipe before the process looks for it. */
async function answeredStart(args) {
  const start = performance.now()
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'ignore'] })
  const ended = once(child, 'exit')
  child.stdin.write(`${initializeOf(VERSION, { able: true })}\n`)
  const [answer] = await once(child.stdout, 'data')
  const taken = performance.now() - start
  if (JSON.parse(answer).result?.protocolVersion !== VERSION) throw new Error(`Not an answer to initialize: ${answer}`)
  child.stdin.end()
  await ended
  return taken
}

export async function bridgeStart({ isPeer, checkouts }, { starts }, progress) {
  if (!isPeer('parley')) return undefined
  progress('… the start of parley bridge')
  const server = stdioServer(VERSION)
  const programs = [
    ['node', bareStart],
    ['server', () => answeredStart(server.slice(1))],
    ...checkouts.map(({ root, nameOf }) => [
      nameOf('bridge'),
      () => answeredStart([gatewayOf(root), 'bridge', '--', ...server]),
    ]),
  ]
  // The first starts find nothing in the cache of the file system.
  for (const [, run] of programs) await run()
  const taken = Object.fromEntries(programs.map(([name]) => [name, []]))
  for (let round = 0; round < starts; round++) {
    for (let turn = 0; turn < programs.length; turn++) {
      const [name, run] = programs[(round + turn) % programs.length]
      taken[name].push(await run())
    }
  }
  const added = taken.bridge.map((ms, round) => ms - taken.server[round])
  return {
    samples: starts,
    results: Object.fromEntries(
      Object.entries(taken).map(([name, all]) => [
        name,
        { ms: median(all), low: Math.min(...all), high: Math.max(...all) },
      ]),
    ),
    added: median(added),
    // Of the same round: the machine may be busier in another.
    beyondNode: median(added.map((ms, round) => ms - taken.node[round])),
  }
}
