/**
 * `npm run soak [-- --seconds 120]`: clients come, go, misbehave and vanish; afterwards nothing of them may be left.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { median } from '../bench/rounds.js'
import { table } from '../bench/table.js'
import { added, held } from './held.js'
import { httpLives, started, stdioLives } from './lives.js'

const HTTP_WORKERS = 24
const STDIO_WORKERS = 2
const SAMPLE_MS = 1000
/** The first part of the time fills caches and warms the code up. */
const WARM_UP = 0.3
/** How much memory may grow after it, whichever is more. */
const GROWTH = { share: 0.1, bytes: 2 * 1024 * 1024 }
/** How long what was left alone may take to end: idle sessions after 2 s, idle connections some seconds later. */
const COOL_DOWN_MS = 30_000

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '120' } } })
const seconds = Number(values.seconds)
if (!(seconds >= 2)) {
  console.error('usage: npm run soak [-- --seconds 120], at least 2')
  process.exit(2)
}

const server = fork(fileURLToPath(new URL('./http-server.js', import.meta.url)), { execArgv: ['--expose-gc'] })
const [{ url }] = await once(server, 'message')

async function look() {
  const news = once(server, 'message')
  server.send('look')
  return (await news)[0]
}

const counts = {}
const failures = []

/** One life after the other until the time is over. */
async function work(link, lives, until) {
  const names = Object.keys(lives)
  for (let at = Math.floor(Math.random() * names.length); Date.now() < until; at++) {
    const name = names[at % names.length]
    const key = `${link}, ${name}`
    try {
      await lives[name](url)
      counts[key] = (counts[key] ?? 0) + 1
    } catch (error) {
      failures.push(`${key}: ${error.message}`)
      if (failures.length > 20) return
    }
  }
}

async function watch(until) {
  const samples = []
  while (Date.now() < until) {
    await sleep(Math.min(SAMPLE_MS, Math.max(0, until - Date.now())))
    samples.push({ server: await look(), client: held() })
  }
  return samples
}

/** Waits until `seen()` gives an empty object, or gives what is still there. */
async function settled(seen) {
  const deadline = Date.now() + COOL_DOWN_MS
  for (;;) {
    const left = await seen()
    if (Object.keys(left).length === 0 || Date.now() > deadline) return left
    await sleep(250)
  }
}

const present = (counted) => Object.fromEntries(Object.entries(counted).filter(([, count]) => count > 0))
const isRunning = (pid) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Bytes before and after, and whether that is flat. */
function growth(samples, side) {
  const bytes = samples.slice(Math.floor(samples.length * WARM_UP)).map((sample) => sample[side].bytes)
  const third = Math.max(1, Math.floor(bytes.length / 3))
  const from = median(bytes.slice(0, third))
  const to = median(bytes.slice(-third))
  return { from, to, flat: to - from <= Math.max(GROWTH.bytes, from * GROWTH.share) }
}

const mebibytes = (bytes) => `${(bytes / 1024 / 1024).toFixed(1)} MiB`

// The first of each kind loads code and opens what stays open.
for (const life of [...Object.values(httpLives), ...Object.values(stdioLives)]) await life(url)
await settled(async () => present({ sessions: (await look()).sessions }))
await sleep(0)
const before = { server: (await look()).resources, client: held().resources }

const until = Date.now() + seconds * 1000
const workers = [
  ...Array.from({ length: HTTP_WORKERS }, () => work('HTTP', httpLives, until)),
  ...Array.from({ length: STDIO_WORKERS }, () => work('stdio', stdioLives, until)),
]
const [samples] = await Promise.all([watch(until), ...workers])

const left = {
  'of the server': await settled(async () => {
    const { sessions, subscriptions, resources } = await look()
    return present({ sessions, subscriptions, ...added(before.server, resources) })
  }),
  'of the client': await settled(() => added(before.client, held().resources)),
  processes: [...started].filter(isRunning),
}

const ended = once(server, 'exit')
server.kill('SIGTERM')
const [code, signal] = await ended

const memory = { server: growth(samples, 'server'), client: growth(samples, 'client') }
const rows = Object.entries(counts).map(([name, count]) => [name, count, (count / seconds).toFixed(1)])
console.log(table(['client', 'lives', 'per second'], rows))
console.log()
for (const [side, { from, to, flat }] of Object.entries(memory)) {
  console.log(
    `memory of the ${side}: ${mebibytes(from)} after warm-up, ${mebibytes(to)} at the end${flat ? '' : ', which is too much'}`,
  )
}
console.log(`most sessions at once: ${Math.max(...samples.map((sample) => sample.server.sessions))}`)
console.log(`processes started: ${started.size}`)
for (const [whose, what] of Object.entries(left))
  console.log(`left ${whose}: ${Object.keys(what).length === 0 ? 'nothing' : JSON.stringify(what)}`)
console.log(`the server ended with ${signal ?? code}`)

const broken = [
  ...failures,
  ...Object.entries(memory).flatMap(([side, { flat }]) => (flat ? [] : [`the memory of the ${side} grows`])),
  ...Object.entries(left).flatMap(([whose, what]) =>
    Object.keys(what).length === 0 ? [] : [`something is left ${whose}`],
  ),
  ...(code === 0 ? [] : ['the server did not end well']),
]
for (const line of broken) console.log(`FAILED ${line}`)
console.log(broken.length === 0 ? 'soak passed' : `soak failed, ${broken.length} bounds broken`)
process.exitCode = broken.length === 0 ? 0 : 1
