/** The server over stdio without any gateway: what a client that starts it itself would see. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { workOf } from '../transports/cold-start.js'
import { StdioLoad } from '../transports/stdio-load.js'
import { messageOf } from './loads.js'
import { fileOf } from './program.js'

export class Direct {
  name = 'direct'
  #version
  #child

  constructor(version) {
    this.#version = version
  }

  work = () => workOf(this.#child.pid) / 1000

  /** Every load has a process of its own, since only one can read what it says. */
  repeated = async (load, inFlight) => {
    await this.stop()
    this.#child = spawn(process.execPath, [fileOf('./servers/stdio.js'), this.#version], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const text = messageOf(load, this.#version)
    const pipes = new StdioLoad(this.#child, text)
    await pipes.open()
    const answer = await pipes.ask(text)
    load.check(answer)
    const rounds = []
    const run = async (count) => {
      const taken = new Float64Array(count)
      await pipes.run(count, inFlight, taken)
      rounds.push(taken)
    }
    return { run, rounds, bytes: Buffer.byteLength(answer) }
  }

  stop = async () => {
    const child = this.#child
    if (child === undefined) return
    this.#child = undefined
    const ended = once(child, 'exit')
    child.stdin.end()
    await ended
  }
}
