/**
 * `npm run fixture -- server [--port N] [--answer auto|json|sse] [--stateless] [--era handshake|stateless]`: the server
 * under test on its own, until Ctrl-C.
 */
import { parseArgs } from 'node:util'
import { startServer } from './server.js'

const ANSWERS = ['auto', 'json', 'sse']

/** The versions of each era, for a server that is to speak no others. */
const ERAS = { handshake: ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'], stateless: ['2026-07-28'] }

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        port: { type: 'string', default: '0' },
        answer: { type: 'string', default: 'auto' },
        stateless: { type: 'boolean', default: false },
        era: { type: 'string' },
      },
    })
    const port = Number(values.port)
    const knowsEra = values.era === undefined || Object.hasOwn(ERAS, values.era)
    const known = positionals.length === 1 && positionals[0] === 'server' && ANSWERS.includes(values.answer) && knowsEra
    if (known && Number.isInteger(port) && port >= 0 && port <= 65_535)
      return { port, answer: values.answer, stateless: values.stateless, versions: ERAS[values.era] }
  } catch {
    // said below
  }
  console.error(
    'usage: npm run fixture -- server [--port N] [--answer auto|json|sse] [--stateless] [--era handshake|stateless]',
  )
  process.exit(2)
}

const serving = await startServer(readArguments()).catch((error) => {
  console.error(error.message)
  process.exit(1)
})
console.log(`Listening at ${serving.url}`)

for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => void serving.close({ drain: '1s' }).then(() => process.exit(0)))
