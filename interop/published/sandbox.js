/**
 * How a program of others is run: in an empty home of its own, with nothing of this environment, and, where the system
 * can do that, without network and without rights. What is still running at the end is found and ended.
 */
import { spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { CACHE } from './install.js'

const NOBODY = 65534
const TIME = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?Z?/g
/** How long a program may take to end after its client has left. */
const PATIENCE = 15_000
const AS_NOBODY = [
  'setpriv',
  `--reuid=${NOBODY}`,
  `--regid=${NOBODY}`,
  '--clear-groups',
  '--no-new-privs',
  '--pdeathsig=KILL',
]

/** From the strictest to none. */
const CAGES = [
  { cage: ['unshare', '--net', ...AS_NOBODY], owner: NOBODY, what: 'without network, as the user nobody' },
  { cage: ['unshare', '--user', '--map-root-user', '--net'], what: 'without network' },
  { cage: [], what: 'with the network and the rights of this user: the system has no unshare' },
]

const environment = (home) => [
  `PATH=${dirname(process.execPath)}:/usr/bin:/bin`,
  `HOME=${home}`,
  `TMPDIR=${home}`,
  'CI=1',
  'NO_COLOR=1',
]

/** Whether a program in it can read what was installed. */
function works({ cage }) {
  const check = `require('node:fs').readdirSync(${JSON.stringify(CACHE)})`
  const [command, ...args] = [...cage, process.execPath, '-e', check]
  return spawnSync(command, args, { stdio: 'ignore', timeout: 10_000 }).status === 0
}

export class Sandbox {
  #root = mkdtempSync(join(tmpdir(), 'parley-published-'))
  #cage
  #owner
  #count = 0

  constructor() {
    mkdirSync(CACHE, { recursive: true })
    const { cage, owner, what } = CAGES.find(works)
    this.#cage = cage
    this.#owner = owner
    this.what = what
    if (owner !== undefined) chownSync(this.#root, owner, owner)
  }

  /** An empty folder. Processes that have it as their home are found by it. */
  newHome() {
    const home = join(this.#root, String(++this.#count))
    mkdirSync(home)
    if (this.#owner !== undefined) chownSync(home, this.#owner, this.#owner)
    return home
  }

  /** A command line for a program, with a new home each time it is asked for. */
  commandFor(file, args = []) {
    const home = this.newHome()
    const inHome = ['sh', '-c', 'cd "$0" && exec "$@"', home]
    return {
      command: 'env',
      args: ['-i', ...environment(home), ...inHome, ...this.#cage, process.execPath, file, ...args],
    }
  }

  /** A text without what is another in every run: the places of homes, and times of day. */
  settled(text) {
    return text.replaceAll(new RegExp(`${this.#root}/\\d+`, 'g'), '~').replaceAll(TIME, 'TIME')
  }

  /** Waits for programs that ran here to end, which only Linux tells, ends those that do not, and names them. */
  async endLeftovers() {
    const until = Date.now() + PATIENCE
    let left = this.#running()
    while (left.length > 0 && Date.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, 100))
      left = this.#running()
    }
    for (const { pid } of left) process.kill(pid, 'SIGKILL')
    return left.map(({ line }) => line)
  }

  /** At once, whatever still runs. */
  close() {
    for (const { pid } of this.#running()) process.kill(pid, 'SIGKILL')
    rmSync(this.#root, { recursive: true, force: true, maxRetries: 3 })
  }

  /** Processes whose home is one of those made here. */
  #running() {
    if (process.platform !== 'linux') return []
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
    return pids
      .filter((pid) => readOr('', `/proc/${pid}/environ`).includes(`HOME=${this.#root}/`))
      .map((pid) => ({
        pid: Number(pid),
        line: readOr('', `/proc/${pid}/cmdline`).replaceAll('\0', ' ').replaceAll(`${CACHE}/`, '').trim(),
      }))
  }
}

function readOr(fallback, path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return fallback
  }
}
