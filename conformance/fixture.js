/** Starts the server under test as a process of its own and stops it again. */
import { spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))

export async function startFixture() {
  const child = spawn(process.execPath, [join(here, 'server.js')], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise((resolve) => child.once('close', resolve))
  const url = await new Promise((resolve, reject) => {
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
      const [, found] = /Listening at (\S+)/.exec(output) ?? []
      if (found !== undefined) resolve(found)
    })
    child.once('error', reject)
    child.once('close', (code) => reject(new Error(`The fixture ended with code ${code} before it listened`)))
  })
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  return { url, stop }
}
