/** Keeps every frame of a pair and finds those that the official schemas do not allow. */
import { readFileSync } from 'node:fs'
import { flawOf, hasSchema, haveSchemas } from './schemas.js'

const VERSION = 'io.modelcontextprotocol/protocolVersion'
const DISCOVER = 'server/discover'

/** Frames of one session in the order they went; `from` is `ours` or `theirs`. */
export class Recording {
  #sessions = new Map()

  add(session, from, frame) {
    const frames = this.#sessions.get(session)
    if (frames === undefined) this.#sessions.set(session, [{ from, frame }])
    else frames.push({ from, frame })
  }

  /** What another process wrote down, one JSON line for each frame. */
  addFile(path) {
    for (const line of readFileSync(path, 'utf8').split('\n').filter(Boolean)) {
      const { session, from, frame } = JSON.parse(line)
      this.add(session, from, frame)
    }
  }

  get count() {
    return [...this.#sessions.values()].reduce((total, frames) => total + frames.length, 0)
  }

  /** The versions that were spoken, each once; asking what there is to speak is not speaking yet. */
  get versions() {
    const spoken = [...this.#sessions.values()].flatMap((frames) => {
      const messages = messagesOf(frames)
      const agreed = agreedIn(messages)
      if (agreed !== undefined) return [agreed]
      return messages.filter(({ message }) => message.method !== DISCOVER).map(({ message }) => namedIn(message))
    })
    return [...new Set(spoken.filter((version) => version !== undefined))]
  }

  /** How many questions came with one result, at most. */
  get mostQuestions() {
    const results = [...this.#sessions.values()].flatMap(messagesOf).map(({ message }) => message.result)
    return Math.max(0, ...results.map((result) => Object.keys(result?.inputRequests ?? {}).length))
  }

  /** Sentences on frames that are not as their version wants them, by who sent them. */
  flaws() {
    const flaws = { ours: [], theirs: [] }
    if (!haveSchemas) return flaws
    for (const frames of this.#sessions.values()) {
      for (const { from, flaw } of flawsOf(messagesOf(frames))) flaws[from].push(flaw)
    }
    return flaws
  }
}

const other = { ours: 'theirs', theirs: 'ours' }

const messagesOf = (frames) =>
  frames.flatMap(({ from, frame }) => [JSON.parse(frame)].flat().map((message) => ({ from, message })))

/** The version a message of the stateless era says it is of. */
const namedIn = ({ params }) => params?._meta?.[VERSION]

const isHandshake = ({ message }) => message.method === 'initialize'

/** The version that a handshake led to. */
function agreedIn(messages) {
  const ask = messages.find(isHandshake)
  const answer = messages.find(
    ({ message, from }) => message.id === ask?.message.id && from !== ask?.from && message.result !== undefined,
  )
  return answer?.message.result.protocolVersion
}

function flawsOf(messages) {
  const agreed = agreedIn(messages)
  const offered = messages.find(isHandshake)?.message.params?.protocolVersion
  const stateless = messages.map(({ message }) => namedIn(message)).find(hasSchema)
  /** What was asked, by who asked and the id, to know what an answer is the answer to. */
  const asked = new Map()
  let shaken = false
  return messages.flatMap(({ from, message }) => {
    if (message.method === 'initialize') shaken = true
    const question = message.method === undefined ? asked.get(`${other[from]} ${message.id}`) : undefined
    // A handshake that was refused leaves everything as it was.
    const spoken = [
      namedIn(message),
      shaken ? agreed : undefined,
      message.method === 'initialize' ? offered : stateless,
      offered,
    ]
    const version = question?.version ?? spoken.find(hasSchema)
    if (message.method !== undefined && message.id !== undefined)
      asked.set(`${from} ${message.id}`, { ...message, version })
    const flaw = version === undefined ? 'no version was agreed on' : flawOf(version, message, question)
    return flaw === undefined ? [] : [{ from, flaw: `${message.method ?? question?.method ?? 'an answer'}: ${flaw}` }]
  })
}
