/** HTTP/1.1 by hand: a client so cheap that the server is what is measured. */
import { connect } from 'node:net'

const HEAD_END = '\r\n\r\n'
const LAST_CHUNK = '0\r\n\r\n'
const NO_CONTENT = 'HTTP/1.1 204'
const TIMEOUT_MS = 20_000

/** One connection that is kept alive, with one request at a time. */
export class HttpConnection {
  #port
  #socket
  #waiting
  /** What was sent, as long as it may be sent again. */
  #sent
  #keep = false
  #parts = []
  #head = ''
  /** Bytes of the body that are still to come; `undefined` before the head, infinite while chunks come. */
  #left
  /** Bytes of the body that have come, with the marks between chunks. */
  #length = 0
  #tail = ''

  constructor(port) {
    this.#port = port
    this.#connect()
  }

  #connect() {
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true })
    socket.on('data', (chunk) => this.#read(chunk))
    socket.on('error', (error) => socket === this.#socket && this.#fail(error))
    socket.on('close', () => socket === this.#socket && this.#closed())
    socket.setTimeout(TIMEOUT_MS, () => this.#fail(new Error(`The server said nothing for ${TIMEOUT_MS / 1000} s`)))
    this.#socket = socket
    this.#left = undefined
  }

  /** Servers close connections that are idle for some seconds, as they are during the turns of other servers. */
  #closed() {
    this.#socket = undefined
    if (this.#waiting === undefined) return
    if (this.#left !== undefined || this.#sent === undefined)
      return this.#fail(new Error('The server closed the connection'))
    const bytes = this.#sent
    this.#sent = undefined
    this.#connect()
    this.#socket.write(bytes)
  }

  /** Sends the bytes of a request; `done(error, status, length)` is called at the end of the answer. */
  send(bytes, done) {
    if (this.#socket === undefined) this.#connect()
    this.#waiting = done
    this.#sent = bytes
    this.#socket.write(bytes)
  }

  /** Status, head and body of one answer. */
  ask(bytes) {
    this.#keep = true
    return new Promise((resolve, reject) => {
      this.send(bytes, (error, status) => {
        this.#keep = false
        const body = Buffer.concat(this.#parts)
        this.#parts = []
        if (error !== undefined) reject(error)
        else
          resolve({
            status,
            head: this.#head,
            body: (/\r\ntransfer-encoding: *chunked/i.test(this.#head) ? joined(body) : body).toString(),
          })
      })
    })
  }

  close() {
    this.#waiting = undefined
    this.#socket?.destroy()
  }

  #read(chunk) {
    // Some servers send a response before they close an idle connection.
    if (this.#waiting === undefined) return
    if (this.#left !== undefined) return this.#readBody(chunk)
    const end = chunk.indexOf(HEAD_END)
    if (end === -1) return this.#fail(new Error('The head of the answer came in pieces, which this client does not do'))
    this.#head = chunk.latin1Slice(0, end)
    const length = /\r\ncontent-length: *(\d+)/i.exec(this.#head)
    this.#left = this.#head.startsWith(NO_CONTENT) ? 0 : length === null ? Number.POSITIVE_INFINITY : Number(length[1])
    this.#tail = ''
    this.#length = 0
    this.#readBody(chunk.subarray(end + HEAD_END.length))
  }

  #readBody(bytes) {
    if (this.#keep) this.#parts.push(bytes)
    this.#length += bytes.length
    if (this.#left !== Number.POSITIVE_INFINITY) this.#left -= bytes.length
    else {
      this.#tail = (this.#tail + bytes.latin1Slice(Math.max(0, bytes.length - LAST_CHUNK.length))).slice(
        -LAST_CHUNK.length,
      )
      if (this.#tail === LAST_CHUNK) this.#left = 0
    }
    if (this.#left <= 0) this.#finish()
  }

  #finish() {
    this.#left = undefined
    const done = this.#waiting
    this.#waiting = undefined
    done?.(undefined, Number(this.#head.slice(9, 12)), this.#length)
  }

  #fail(error) {
    const done = this.#waiting
    this.#waiting = undefined
    done?.(error)
  }
}

/** A body without the marks between its chunks. */
function joined(body) {
  const chunks = []
  for (let at = 0; at < body.length; ) {
    const line = body.indexOf('\r\n', at)
    const length = Number.parseInt(body.latin1Slice(at, line), 16)
    chunks.push(body.subarray(line + 2, line + 2 + length))
    at = line + 2 + length + 2
  }
  return Buffer.concat(chunks)
}

const ofSession = (session) =>
  session === undefined ? '' : `Mcp-Session-Id: ${session}\r\nMCP-Protocol-Version: 2025-11-25\r\n`

/** The bytes of a request before the body. */
function head(method, length, own) {
  const body = length === 0 ? '' : `Content-Type: application/json\r\nContent-Length: ${length}\r\n`
  return `${method} /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json, text/event-stream\r\n${body}${own}\r\n`
}

export const postWith = (text, own) => head('POST', Buffer.byteLength(text), own) + text
export const post = (text, session) => postWith(text, ofSession(session))
export const remove = (session) => head('DELETE', 0, ofSession(session))

export const sessionIn = (responseHead) => /\r\nmcp-session-id: *([^\r]+)/i.exec(responseHead)?.[1]

/** The JSON-RPC message in a body: itself, or the one in the first event of a stream that has any. */
export function messageIn(body) {
  const start = body.indexOf('data: {')
  if (start === -1) return body
  const text = body.slice(start + 'data: '.length)
  return text.slice(0, text.search(/\r?\n/))
}
