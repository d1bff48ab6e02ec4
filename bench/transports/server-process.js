/** A server in a process of its own, started, asked for its costs, and ended. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { environmentFor } from '../checkout.js'

const START_MS = 30_000

export const programOf = (file, suite = 'transports') =>
  fileURLToPath(new URL(`../${suite}/servers/${file}.js`, import.meta.url))

/** `root`: the checkout whose Parley is loaded, where it is not this one. */
export async function startServer(file, { suite, root, link, answer = 'json', tools = 'one', gc = false }) {
  const child = fork(programOf(file, suite), [link, answer, tools], {
    stdio: [link === 'stdio' ? 'pipe' : 'ignore', link === 'stdio' ? 'pipe' : 'ignore', 'pipe', 'ipc'],
    env: environmentFor(root),
    execArgv: gc ? ['--expose-gc'] : [],
  })
  let errorOutput = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errorOutput = (errorOutput + text).slice(-2000)
  })
  const ended = once(child, 'exit')
  ended.then(
    ([code, signal]) =>
      errorOutput !== '' && code !== 0 && signal === null && process.stderr.write(`${file}: ${errorOutput}\n`),
  )

  /** Fails when the server ends first. */
  async function nextMessage() {
    const [message] = await Promise.race([
      once(child, 'message', { signal: AbortSignal.timeout(START_MS) }),
      ended.then(([code, signal]) => {
        throw new Error(`The server ${file} ended with ${code ?? signal}: ${errorOutput}`)
      }),
    ])
    return message
  }

  const { port } = await nextMessage()
  return {
    port,
    child,
    /** Seconds of processor time it has used, and the bytes it holds; with `gc` after a collection. */
    async costs() {
      const reply = nextMessage()
      child.send('costs')
      return await reply
    },
    async stop() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
