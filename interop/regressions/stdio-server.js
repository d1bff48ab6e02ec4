/** `stdio-server.js SHAPE`: a server over standard input and output that takes `server/discover` as real servers do. */
import { createInterface } from 'node:readline'
import { handshakeAnswer, statelessAnswer } from './answers.js'

const SHAPES = {
  /** As servers do that take any unknown message for a fatal error. */
  'exits-on-discover': (message) => (message.method === 'server/discover' ? process.exit(1) : handshakeAnswer(message)),
  /** As servers do that drop requests that come before `initialize`. */
  'silent-on-discover': (message) => (message.method === 'server/discover' ? undefined : handshakeAnswer(message)),
  'only-2026-07-28': statelessAnswer,
}

const answer = SHAPES[process.argv[2]]
createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line)
  if (message.id === undefined || message.method === undefined) return
  const reply = answer(message)
  if (reply !== undefined) process.stdout.write(`${JSON.stringify(reply)}\n`)
})
