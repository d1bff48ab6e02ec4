/** A program in a process of its own that listens on a port: started, weighed from outside, and ended. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { workOf } from '../transports/cold-start.js'

const START_MS = 30_000
const STOP_MS = 5000
const LOOK_MS = 50

export const fileOf = (path) => fileURLToPath(new URL(path, import.meta.url))

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

export async function freePort() {
  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address()
  listener.close()
  await once(listener, 'close')
  return port
}

async function isOpen(port) {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

/** Bytes in memory; only Linux can tell. */
function residentBytes(pid) {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024
}

/** `argsFor(port)`: the arguments of node; `collects`: `settled()` has it collect first. */
export async function startProgram(name, argsFor, { collects = false } = {}) {
  const port = await freePort()
  const own = collects ? ['--expose-gc', '--import', fileOf('./collect.js')] : []
  const folder = collects ? mkdtempSync(join(tmpdir(), 'parley-bench-')) : undefined
  const heapFile = folder && join(folder, 'heap')
  const env = collects ? { ...process.env, BENCH_HEAP_FILE: heapFile } : process.env
  const child = spawn(process.execPath, [...own, ...argsFor(port)], { stdio: ['pipe', 'ignore', 'pipe'], env })
  let errorOutput = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errorOutput = (errorOutput + text).slice(-2000)
  })
  let over = false
  const ended = once(child, 'exit').then(([code, signal]) => {
    over = true
    return `${name} ended with ${code ?? signal}: ${errorOutput}`
  })

  async function stop() {
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
    await ended
    clearTimeout(timer)
    if (folder !== undefined) rmSync(folder, { recursive: true })
  }

  const deadline = performance.now() + START_MS
  while (!(await isOpen(port))) {
    if (over) throw new Error(await ended)
    if (performance.now() > deadline) {
      await stop()
      throw new Error(`${name} did not listen on ${port} within ${START_MS / 1000} s: ${errorOutput}`)
    }
    await pause(LOOK_MS)
  }

  /** Bytes of the process, and of its heap: the least of some looks, each after a collection. */
  async function settled() {
    const looks = []
    for (let look = 0; look < 4; look++) {
      child.kill('SIGUSR2')
      await pause(500)
      looks.push({ resident: residentBytes(child.pid), heap: Number(readFileSync(heapFile, 'utf8')) })
    }
    return {
      resident: Math.min(...looks.map(({ resident }) => resident)),
      heap: Math.min(...looks.map(({ heap }) => heap)),
    }
  }

  return { name, port, pid: child.pid, work: () => workOf(child.pid) / 1000, settled, stop }
}

/** Whatever was started by `use(start)` is ended, however it goes. */
export async function withPrograms(use) {
  const started = []
  try {
    return await use(async (...what) => {
      const program = await startProgram(...what)
      started.push(program)
      return program
    })
  } finally {
    await Promise.all(started.map((program) => program.stop()))
  }
}
