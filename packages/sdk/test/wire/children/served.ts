/**
 * A server on the SDK for the tests of standard input and output. Its first argument can ask for something that keeps
 * the process alive.
 */
import { serveStdio } from '../../../src/node/index.ts'
import { createServer, tool } from '../../../src/server.ts'

const number = { type: 'number' } as const

const server = createServer({ name: 'served', version: '1.0.0' }).add(
  tool(
    'echo',
    { description: 'Says it again', input: { type: 'object', properties: { text: { type: 'string' } } } as const },
    ({ text }) => String(text),
  ),
  tool(
    'later',
    { description: 'Takes its time', input: { type: 'object', properties: { ms: number } } as const },
    async ({ ms = 0 }) => {
      process.stderr.write('begun\n')
      await new Promise((resolve) => setTimeout(resolve, ms))
      return 'at last'
    },
  ),
  tool('chatty', { description: 'Prints where it should not' }, () => {
    console.log('from console.log')
    console.info('from console.info')
    console.debug('from console.debug')
    process.stdout.write('from stdout.write\n')
    return 'quiet'
  }),
  tool(
    'large',
    { description: 'A long text', input: { type: 'object', properties: { length: number } } as const },
    ({ length = 0 }) => 'x'.repeat(length),
  ),
)

if (process.argv[2] === 'busy') setInterval(() => {}, 60_000)
const handle = await serveStdio(server)
if (process.argv[2] === 'farewell') {
  await handle.closed
  console.log('after the end')
}
