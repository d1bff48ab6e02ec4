/** `npm run fixture -- server [--port N] [--answer auto|json|sse] [--stateless]`: the server under test on its own, until Ctrl-C. */
import { parseArgs } from 'node:util'
import { startServer } from './server.js'

const ANSWERS = ['auto', 'json', 'sse']

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { port: { type: 'string', default: '0' }, answer: { type: 'string', default: 'auto' }, stateless: { type: 'boolean', default: false } },
    })
    const port = Number(values.port)
    const known = positionals.length === 1 && positionals[0] === 'server' && ANSWERS.includes(values.answer)
    if (known && Number.isInteger(port) && port >= 0 && port <= 65_535) return { port, answer: values.answer, stateless: values.stateless }
  } catch {
    // said below
  }
  console.error('usage: npm run fixture -- server [--port N] [--answer auto|json|sse] [--stateless]')
  process.exit(2)
}

const serving = await startServer(readArguments()).catch((error) => {
  console.error(error.message)
  process.exit(1)
})
console.log(`Listening at ${serving.url}`)

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void serving.close({ drain: '1s' }).then(() => process.exit(0)))
