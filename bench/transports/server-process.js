/** A server in a process of its own, started, asked for its costs, and ended. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const START_MS = 30_000

export const programOf = (file, suite = 'transports') => fileURLToPath(new URL(`../${suite}/servers/${file}.js`, import.meta.url))

export async function startServer(file, { suite, link, answer = 'json', tools = 'one', gc = false }) {
  const child = fork(programOf(file, suite), [link, answer, tools], {
    stdio: [link === 'stdio' ? 'pipe' : 'ignore', link === 'stdio' ? 'pipe' : 'ignore', 'pipe', 'ipc'],
    execArgv: gc ? ['--expose-gc'] : [],
  })
  let words = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    words = (words + text).slice(-2000)
  })
  const ended = once(child, 'exit')
  ended.then(([code, signal]) => words !== '' && code !== 0 && signal === null && process.stderr.write(`${file}: ${words}\n`))

  /** The next thing it says, unless it ends instead. */
  async function told() {
    const [news] = await Promise.race([
      once(child, 'message', { signal: AbortSignal.timeout(START_MS) }),
      ended.then(([code, signal]) => {
        throw new Error(`The server ${file} ended with ${code ?? signal}: ${words}`)
      }),
    ])
    return news
  }

  const { port } = await told()
  return {
    port,
    child,
    /** Seconds of processor time it has used, and the bytes it holds; with `gc` after a collection. */
    async costs() {
      const news = told()
      child.send('costs')
      return await news
    },
    async stop() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
