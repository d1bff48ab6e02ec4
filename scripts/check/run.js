/** Runs checks, several at a time, and shows what each has said in one piece. */
import { spawn } from 'node:child_process'
import { delimiter, resolve } from 'node:path'

// As npm does for its scripts, but without starting npm for each.
const env = { ...process.env, PATH: `${resolve('node_modules/.bin')}${delimiter}${process.env.PATH}` }

/** The outcomes in the order of the checks. */
export async function runAll(checks, atOnce) {
  const outcomes = []
  const waiting = [...checks.entries()]
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) outcomes[next[0]] = await run(next[1])
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  return outcomes
}

async function run(check) {
  console.log(`begins: ${check.name}`)
  check.prepare?.()
  const started = Date.now()
  const { code, said } = await ended(check.command)
  const objection = code === 0 ? check.objection?.() : undefined
  const ok = code === 0 && objection === undefined
  const counted = check.count?.() ?? { passed: ok ? 1 : 0, failed: 0 }
  // A check can fail without a failing test: a type error, or coverage below its threshold.
  if (!ok && counted.failed === 0) counted.failed = 1
  console.log([`\n── ${check.name}`, said.trimEnd(), objection].filter(Boolean).join('\n'))
  return { name: check.name, ok, seconds: (Date.now() - started) / 1000, ...counted }
}

/** Standard output and standard error in the order they came. */
function ended(command) {
  return new Promise((resolve) => {
    const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'pipe'], env })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        said += text
      })
    }
    child.once('error', ({ message }) => resolve({ code: 1, said: message }))
    child.once('close', (code) => resolve({ code, said }))
  })
}
