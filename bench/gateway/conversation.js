/**
 * One client of any version at an address: a session where its version has them, and as many connections as calls are
 * to be under way at once.
 */
import { HttpConnection, messageIn, sessionIn } from '../transports/http-load.js'
import { FIRST_ID, initialized, numbered } from '../transports/messages.js'
import { STATELESS } from './answers.js'
import { initializeOf, messageOf } from './loads.js'

/** Far enough apart that the ids of connections that share a session never meet. */
const IDS_EACH = 20_000_000
/**
 * Marks of streams and chunks may differ a little from answer to answer; an error in place of a result differs by more.
 */
const LENGTH_PLAY = 24
const ACCEPTED = new Set([200, 202, 204])

/** The version is named in a header since 2025-06-18. */
const SILENT_VERSIONS = new Set(['2024-11-05', '2025-03-26'])

function refused(what, { status, body }) {
  return new Error(`${what} was answered with ${status}: ${body.slice(0, 500)}`)
}

export class Conversation {
  #name
  #path
  #version
  #able
  #session
  #connections

  /** `address`: `{ name, port, path }`. Given connections are shared with others and stay open. */
  static async open({ name, port, path }, version, { connections, shared, able = true } = {}) {
    const conversation = new Conversation()
    conversation.#name = name
    conversation.#path = path
    conversation.#version = version
    conversation.#able = able
    conversation.#connections = shared ?? Array.from({ length: connections }, () => new HttpConnection(port))
    if (version !== STATELESS) await conversation.#shakeHands()
    return conversation
  }

  async #shakeHands() {
    const [connection] = this.#connections
    const opened = await connection.ask(
      Buffer.from(this.#http('POST', initializeOf(this.#version, { able: this.#able }))),
    )
    this.#session = sessionIn(opened.head)
    if (opened.status !== 200 || this.#session === undefined) throw refused('initialize', opened)
    const agreed = JSON.parse(messageIn(opened.body)).result?.protocolVersion
    if (agreed !== this.#version) throw new Error(`Asked for ${this.#version}, and got ${agreed}`)
    const confirmed = await connection.ask(Buffer.from(this.#http('POST', initialized)))
    if (!ACCEPTED.has(confirmed.status)) throw refused('notifications/initialized', confirmed)
  }

  #http(verb, text, load) {
    const lines = [`${verb} ${this.#path} HTTP/1.1`, 'Host: 127.0.0.1', 'Accept: application/json, text/event-stream']
    if (text !== undefined) lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`)
    if (this.#session !== undefined) lines.push(`Mcp-Session-Id: ${this.#session}`)
    const named = this.#version === STATELESS || (this.#session !== undefined && !SILENT_VERSIONS.has(this.#version))
    if (named) lines.push(`MCP-Protocol-Version: ${this.#version}`)
    if (this.#version === STATELESS) lines.push(`Mcp-Method: ${load.method}`)
    if (this.#version === STATELESS && load.params.name !== undefined) lines.push(`Mcp-Name: ${load.params.name}`)
    return `${lines.join('\r\n')}\r\n\r\n${text ?? ''}`
  }

  /** One call whose answer is looked at; gives the length of its body. */
  async ask(load, connection = this.#connections[0]) {
    let length = 0
    const { status, body } = await connection.ask(
      Buffer.from(this.#http('POST', messageOf(load, this.#version, { able: this.#able }), load)),
    )
    if (status !== 200) throw refused(load.method, { status, body })
    length = Buffer.byteLength(body)
    load.check(messageIn(body))
    return length
  }

  /** `run(count)` makes calls, `inFlight` of them at a time, and leaves the milliseconds of each in `rounds`. */
  async repeated(load, inFlight) {
    const bytes = await this.ask(load)
    const lanes = this.#connections.slice(0, inFlight).map((connection, at) => {
      const first = FIRST_ID + at * IDS_EACH
      return {
        connection,
        next: numbered(
          this.#http('POST', messageOf(load, this.#version, { id: first, able: this.#able }), load),
          first,
        ),
      }
    })
    const rounds = []
    let usual
    const run = (count) =>
      new Promise((resolve, reject) => {
        const taken = new Float64Array(count)
        let sent = 0
        let come = 0
        const step = (lane) => {
          if (sent === count) return
          sent++
          const start = performance.now()
          lane.connection.send(lane.next(), (error, status, length) => {
            usual ??= length
            if (error !== undefined || status !== 200 || Math.abs(length - usual) > LENGTH_PLAY) {
              const why =
                error?.message ?? `a request was answered with ${status} and ${length} bytes instead of ${usual}`
              return reject(new Error(`${this.#name}, ${load.title}: ${why}`, { cause: error }))
            }
            taken[come++] = performance.now() - start
            if (come < count) return step(lane)
            rounds.push(taken)
            resolve()
          })
        }
        for (const lane of lanes) step(lane)
      })
    return { run, rounds, bytes }
  }

  async end(connection = this.#connections[0]) {
    if (this.#session !== undefined) await connection.ask(Buffer.from(this.#http('DELETE')))
  }

  close() {
    for (const connection of this.#connections) connection.close()
  }
}
