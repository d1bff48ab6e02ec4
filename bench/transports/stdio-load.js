/** Newline frames by hand: keeps a number of requests in flight and counts the answers. */
import { initialize, initialized, numbered } from './messages.js'

const NEWLINE = 0x0a
const TIMEOUT_MS = 60_000

/** Over the pipes of a server's process. */
export class StdioLoad {
  #child
  #next
  #onLines = () => {}

  /** `text` is the request to repeat. */
  constructor(child, text) {
    this.#child = child
    this.#next = numbered(`${text}\n`)
    child.stdin.on('error', () => {})
    child.stdout.on('data', (chunk) => this.#onLines(chunk))
  }

  /** The first answer, as text. */
  async ask(text) {
    return await this.#unlessItEnds((resolve) => {
      let read = ''
      this.#onLines = (chunk) => {
        read += chunk.toString()
        if (read.includes('\n')) resolve(read.slice(0, read.indexOf('\n')))
      }
      this.#child.stdin.write(`${text}\n`)
    })
  }

  /** A promise that also fails when the server ends or takes far too long. */
  #unlessItEnds(executor) {
    return new Promise((resolve, reject) => {
      const fail = () => reject(new Error(`The server ended, or took more than ${TIMEOUT_MS / 1000} s`))
      const timer = setTimeout(fail, TIMEOUT_MS)
      this.#child.once('exit', fail)
      executor((value) => {
        clearTimeout(timer)
        this.#child.off('exit', fail)
        resolve(value)
      })
    })
  }

  async open() {
    await this.ask(initialize)
    this.#child.stdin.write(`${initialized}\n`)
  }

  /**
   * `count` requests, `inFlight` of them at a time: each answer is followed by the next request. `taken`, where given,
   * gets the milliseconds of each.
   */
  run(count, inFlight, taken) {
    let toSend = count
    let toCome = count
    const starts = new Float64Array(taken === undefined ? 0 : count)
    const send = (many) => {
      const parts = []
      const now = performance.now()
      for (; many > 0 && toSend > 0; many--, toSend--) {
        starts[count - toSend] = now
        parts.push(Buffer.from(this.#next()))
      }
      if (parts.length > 0) this.#child.stdin.write(Buffer.concat(parts))
    }
    return this.#unlessItEnds((resolve) => {
      this.#onLines = (chunk) => {
        let lines = 0
        for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) lines++
        // They are answered in the order in which they came.
        if (taken !== undefined)
          for (let at = count - toCome; at < count - toCome + lines; at++) taken[at] = performance.now() - starts[at]
        toCome -= lines
        if (toCome <= 0) resolve()
        else send(lines)
      }
      send(inFlight)
    })
  }
}
