/** Starts the built gateway on a free port with a configuration, waits until it is there, and stops it again. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const COMMAND = fileURLToPath(new URL('../packages/gateway/dist/cli.js', import.meta.url))

const PATIENCE = 20_000
const KEPT = 8000

/**
 * `config` is written to a file in `folder`. What the gateway says on its standard error is kept (the last `kept`
 * characters), and shown when it does not come up. `env`: what it is started with instead of this environment.
 */
export async function startGateway(config, folder, { env = process.env, kept = KEPT } = {}) {
  if (!existsSync(COMMAND)) throw new Error('The gateway is not built: npm run build')
  const file = join(folder, 'parley.json')
  await writeFile(file, JSON.stringify(config, undefined, 2))
  const port = await freePort()
  const child = spawn(process.execPath, [COMMAND, 'gateway', '--config', file, '--port', String(port)], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env,
  })
  const ended = once(child, 'close')
  let said = ''
  child.stderr.on('data', (chunk) => {
    said = `${said}${chunk}`.slice(-kept)
  })
  const stop = async () => {
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), 5000)
    await ended
    clearTimeout(timer)
  }
  const origin = `http://127.0.0.1:${port}`
  try {
    await healthy(origin, child)
  } catch (error) {
    await stop()
    throw new Error(`${error.message}\n${said}`)
  }
  return { origin, file, stop, said: () => said }
}

async function healthy(origin, child) {
  const until = Date.now() + PATIENCE
  while (child.exitCode === null && Date.now() < until) {
    const answer = await fetch(`${origin}/healthz`).catch(() => undefined)
    if (answer?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(
    child.exitCode === null
      ? `The gateway was not there within ${PATIENCE / 1000} s`
      : `The gateway ended with code ${child.exitCode}`,
  )
}

async function freePort() {
  const probe = createServer()
  probe.listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address()
  probe.close()
  await once(probe, 'close')
  return port
}
