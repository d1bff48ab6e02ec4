/** Keeps every frame of a pair and finds those that the official schemas do not allow. */
import { readFileSync } from 'node:fs'
import { flawOf, haveSchemas } from './schemas.js'

/** Frames of one session in the order they went; `from` is `ours` or `theirs`. */
export class Recording {
  #sessions = new Map()

  add(session, from, frame) {
    const frames = this.#sessions.get(session) ?? []
    this.#sessions.set(session, [...frames, { from, frame }])
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

  /** The versions that were agreed on, each once. */
  get versions() {
    const agreed = [...this.#sessions.values()].map((frames) => negotiated(messagesOf(frames)))
    return [...new Set(agreed.filter((version) => version !== undefined))]
  }

  /** Sentences on frames that are not as the version of their session wants them, by who sent them. */
  flaws() {
    const flaws = { ours: [], theirs: [] }
    if (!haveSchemas) return flaws
    for (const frames of this.#sessions.values()) {
      for (const { from, flaw } of flawsOf(frames)) flaws[from].push(flaw)
    }
    return flaws
  }
}

const other = { ours: 'theirs', theirs: 'ours' }

const messagesOf = (frames) => frames.flatMap(({ from, frame }) => [JSON.parse(frame)].flat().map((message) => ({ from, message })))

function flawsOf(frames) {
  const messages = messagesOf(frames)
  // Somebody looked for a newer protocol and left.
  if (!messages.some(({ message }) => message.method === 'initialize')) return []
  const version = negotiated(messages)
  if (version === undefined) return [{ from: 'ours', flaw: 'no version was agreed on' }]
  /** Methods by who asked and the id, to know what an answer is the answer to. */
  const asked = new Map()
  return messages.flatMap(({ from, message }) => {
    if (message.method !== undefined && message.id !== undefined) asked.set(`${from} ${message.id}`, message.method)
    const method = message.method ?? asked.get(`${other[from]} ${message.id}`)
    const flaw = flawOf(version, message, method)
    return flaw === undefined ? [] : [{ from, flaw: `${method ?? 'an answer'}: ${flaw}` }]
  })
}

function negotiated(messages) {
  const ask = messages.find(({ message }) => message.method === 'initialize')
  return messages.find(({ message, from }) => message.id === ask?.message.id && from !== ask?.from && message.result !== undefined)?.message.result
    .protocolVersion
}
