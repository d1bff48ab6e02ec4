/**
 * A program that supervises a server which does not end by itself: it says who runs (server, watcher) whenever it is
 * asked, and stops when it is told to.
 */
import { createInterface } from 'node:readline'
import { Supervisor } from '../supervisor.ts'
import { watcher } from './watcher.ts'

const MARK = 'PARLEY_TEST_MARK'
/** Beyond the largest process id there is. */
const NOBODY = 90_000_000
/** Deaf to signals and to the end of its input, and so is what it starts. */
const DEAF = `for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => {}); setInterval(() => {}, 60000)`
const STUBBORN = `${DEAF}; process.stdin.resume()
require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(DEAF)}], { stdio: 'ignore' })`

let server: number | undefined
const supervisor = new Supervisor({
  name: 'stubborn',
  target: {
    kind: 'command',
    command: process.execPath,
    args: ['-e', STUBBORN],
    env: { [MARK]: process.env[MARK] ?? '' },
    cwd: undefined,
  },
  restart: { policy: 'permanent', maxRestarts: 5, within: 60_000 },
  childOptions: { shutdown: { inputEnd: 50, terminate: 50 } },
  log: (event) => {
    if (event.type === 'started') server = event.pid
  },
})

const deeds: Readonly<Record<string, () => unknown>> = {
  who: () => {},
  stop: () => supervisor.stop(),
  exit: () => process.exit(),
  leave: async () => {
    // One that never ends and holds nothing: from here on only the watcher could keep this process alive.
    await watcher.watch(
      async () => ({ pid: NOBODY, gone: new Promise(() => {}) }),
      () => {},
    )
    input.close()
    process.stdin.destroy()
    return supervisor.stop()
  },
}

const link = await supervisor.open()
link.open({ frame: () => {}, closed: () => {} })
const input = createInterface({ input: process.stdin }).on('line', async (line) => {
  await deeds[line]?.()
  process.stdout.write(`${JSON.stringify({ server, watcher: watcher.pid })}\n`)
})
