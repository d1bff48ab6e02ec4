/** Starts a server program of this repository, waits until it says `Listening at URL`, and stops it again. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'

const PATIENCE = 20_000

/** What the program writes to its standard error is shown only when it does not come up. */
export async function startProgram(args, { env = {} } = {}) {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } })
  const ended = once(child, 'close')
  const stop = async () => {
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), 5000)
    await ended
    clearTimeout(timer)
  }
  try {
    return { url: await listening(child), stop }
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
}

function listening(child) {
  return new Promise((resolve, reject) => {
    let complaints = ''
    child.stderr.on('data', (chunk) => {
      complaints = `${complaints}${chunk}`.slice(-4000)
    })
    const fail = (why) => {
      clearTimeout(timer)
      reject(new Error(`${child.spawnargs.slice(1).join(' ')} ${why}\n${complaints}`))
    }
    const timer = setTimeout(fail, PATIENCE, `did not listen within ${PATIENCE / 1000} s`)
    let output = ''
    child.stdout.on('data', (chunk) => {
      if (output.length > 100_000) return
      output += chunk
      const [, url] = /Listening at (\S+)\n/.exec(output) ?? []
      if (url === undefined) return
      clearTimeout(timer)
      resolve(url)
    })
    child.once('error', (error) => fail(`could not be started: ${error.message}`))
    child.once('close', (code) => fail(`ended with code ${code} before it listened`))
  })
}
