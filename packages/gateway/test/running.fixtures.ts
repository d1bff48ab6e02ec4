/** The built `parley` as a real process, in front of the small server that can be killed. */
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { ProtocolVersion } from 'parley-mcp'
import type { Client } from 'parley-mcp/client'
import { connect } from 'parley-mcp/node'
import { freePort } from '../../../test/support/ports.ts'
import { MARK, mark, marked, until } from '../../sdk/test/wire/processes.ts'

const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url))
const SERVER = fileURLToPath(new URL('./fixtures/killable-server.mjs', import.meta.url))

/** One test's processes: all carry the same mark, so that what is left of them can be found. */
export class Running {
  readonly mark = mark()
  readonly #processes = new Set<ChildProcess>()
  readonly #clients: Client[] = []
  readonly #folders: string[] = []

  /** `servers`: settings besides the command by name; `own`: those of the gateway; `flags`: those of Node. */
  async gateway(
    servers: Record<string, Record<string, unknown>>,
    own: Record<string, unknown> = {},
    flags: readonly string[] = [],
  ): Promise<RunningGateway> {
    const port = await freePort()
    const started = Object.entries(servers).map(([name, settings]) => [name, { ...this.command(), ...settings }])
    const config = await this.#config(Object.fromEntries(started), own)
    const child = this.#parley(['gateway', '--config', config, '--port', String(port)], flags)
    const gateway = new RunningGateway(child, port, config)
    await gateway.ready()
    return gateway
  }

  /** By configuration, since only what is written there reaches the environment of the server. */
  async bridge(...args: string[]): Promise<ChildProcessByStdio<Writable, Readable, Readable>> {
    return this.#parley([
      'bridge',
      '--config',
      await this.#config({ notes: this.command(...args) }),
      '--server',
      'notes',
    ])
  }

  command(...args: string[]): Record<string, unknown> {
    return { command: process.execPath, args: [SERVER, ...args], env: { [MARK]: this.mark } }
  }

  async client(gateway: RunningGateway, name: string, version: ProtocolVersion): Promise<Client> {
    const client = await connect(`${gateway.url}/servers/${name}/mcp`, { version })
    this.#clients.push(client)
    return client
  }

  /** Ids of the servers' processes. */
  children(): number[] {
    const own = new Set([...this.#processes].map(({ pid }) => pid))
    return marked(this.mark).filter((pid) => !own.has(pid))
  }

  async clear(): Promise<void> {
    await Promise.allSettled(this.#clients.map((client) => client.close()))
    for (const child of this.#processes) child.kill('SIGKILL')
    // What a test has found wrong must not stay behind, too.
    for (const pid of this.children()) process.kill(pid, 'SIGKILL')
    await Promise.all(this.#folders.map((folder) => rm(folder, { recursive: true, force: true })))
  }

  async folder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'parley-kill-'))
    this.#folders.push(folder)
    return folder
  }

  async #config(mcpServers: Record<string, unknown>, gateway: Record<string, unknown> = {}): Promise<string> {
    const file = join(await this.folder(), 'parley.json')
    await writeFile(file, JSON.stringify({ mcpServers, gateway }))
    return file
  }

  #parley(args: string[], flags: readonly string[] = []): ChildProcessByStdio<Writable, Readable, Readable> {
    const child = spawn(process.execPath, [...flags, CLI, ...args], {
      env: { ...process.env, [MARK]: this.mark },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    child.stdin.on('error', () => {})
    this.#processes.add(child)
    return child
  }
}

export class RunningGateway {
  readonly child: ChildProcess
  readonly url: string
  /** Path of its configuration. */
  readonly config: string
  /** Exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>
  #words = ''

  constructor(child: ChildProcessByStdio<Writable, Readable, Readable>, port: number, config: string) {
    this.child = child
    this.config = config
    this.url = `http://127.0.0.1:${port}`
    this.ended = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | string)
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#words = (this.#words + text).slice(-4000)
      })
    }
  }

  /** The last that it said. */
  get words(): string {
    return this.#words
  }

  /** It tells so itself; or it has ended, and said why. */
  async ready(): Promise<void> {
    const deadline = Date.now() + 20_000
    for (;;) {
      if (this.child.exitCode !== null) throw new Error(`The gateway ended with ${this.child.exitCode}: ${this.#words}`)
      const healthy = await fetch(`${this.url}/healthz`).then(
        (response) => response.ok,
        () => false,
      )
      if (healthy) return
      if (Date.now() > deadline) throw new Error(`The gateway does not listen at ${this.url}: ${this.#words}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}

export { until as eventually } from '../../../test/support/ports.ts'
export { allGone, until } from '../../sdk/test/wire/processes.ts'

/** Waits for processes of servers to be there. */
export async function started(running: Running, count = 1): Promise<number[]> {
  return await until(
    () => running.children(),
    (children) => children.length >= count,
  )
}
