/** How long a server takes from the start of its process to its first answer. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { environmentFor } from '../checkout.js'
import { median } from '../rounds.js'
import { initialize } from './messages.js'
import { programOf } from './server-process.js'

/** Milliseconds a process has spent on a processor, in all its threads; only Linux can tell. */
export function workOf(pid) {
  try {
    const threads = readdirSync(`/proc/${pid}/task`)
    return (
      threads.reduce(
        (sum, thread) => sum + Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
        0,
      ) / 1e6
    )
  } catch {
    return Number.NaN
  }
}

/** The request waits in the pipe before the process looks for it. */
async function startOnce({ file, root }) {
  const start = performance.now()
  const child = spawn(process.execPath, [programOf(file), 'stdio', 'json', 'bare'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: environmentFor(root),
  })
  child.stdin.on('error', () => {})
  child.stdin.write(`${initialize}\n`)
  const ended = once(child, 'exit')
  await Promise.race([
    once(child.stdout, 'data'),
    ended.then(() => {
      throw new Error(`The server ${file} ended without an answer`)
    }),
  ])
  const taken = { ms: performance.now() - start, work: workOf(child.pid) }
  child.kill('SIGKILL')
  await ended
  return taken
}

/** Milliseconds by name, in rounds that start with another server each time. */
export async function coldStarts(entries, rounds) {
  const samples = new Map(entries.map(({ name }) => [name, []]))
  // The first start finds nothing in the cache of the file system.
  for (const entry of entries) await startOnce(entry)
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < entries.length; turn++) {
      const entry = entries[(round + turn) % entries.length]
      samples.get(entry.name).push(await startOnce(entry))
    }
  }
  return Object.fromEntries([...samples].map(([name, taken]) => [name, summary(taken)]))
}

function summary(taken) {
  const times = taken.map(({ ms }) => ms)
  return {
    ms: median(times),
    low: Math.min(...times),
    high: Math.max(...times),
    work: median(taken.map(({ work }) => work)),
  }
}
