/** The process groups that this process has started. They end with it, however it ends. */
import { spawn, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

const WINDOWS = process.platform === 'win32'
const FATAL_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** How long groups may take to end after a signal that ends this process. */
const GROUP_END_TIMEOUT_MS = 2000
const POLL_MS = 25

const groups = new Set<number>()
let ending = false

/** The group ends with this process, unless `forgetGroup` is called first. */
export function adoptGroup(leader: number): void {
  if (groups.size === 0) listen()
  groups.add(leader)
}

export function forgetGroup(leader: number): void {
  groups.delete(leader)
  if (groups.size === 0) unlisten()
}

/** False when no process of the group is left. */
export function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    // Windows has no groups. `taskkill` ends the whole process tree.
    if (WINDOWS && signal !== 0)
      spawn('taskkill', ['/pid', String(leader), '/T', '/F'], { stdio: 'ignore', windowsHide: true }).on(
        'error',
        () => {},
      )
    else process.kill(WINDOWS ? leader : -leader, signal)
    return true
  } catch (error) {
    // A process of another user is in the group, so the group is not empty.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Whether the group has a running process. Zombies can be signalled too, and stay if process 1 does not reap them. */
export function groupLives(leader: number): boolean {
  if (!signalGroup(leader, 0)) return false
  const states = process.platform === 'linux' ? statesIn(leader) : []
  return states.length === 0 || states.some((state) => state !== 'Z' && state !== 'X')
}

/** The states of all visible processes of the group. */
function statesIn(leader: number): string[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d/.test(name) ? stateOf(name, leader) : []))
  } catch {
    return []
  }
}

function stateOf(pid: string, leader: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name of the program comes first, in brackets. It may contain any character.
    const [state = '', , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ', 3)
    return group === String(leader) ? [state] : []
  } catch {
    return []
  }
}

function killAllNow(): void {
  for (const leader of groups) {
    if (WINDOWS) spawnSync('taskkill', ['/pid', String(leader), '/T', '/F'], { stdio: 'ignore', windowsHide: true })
    else signalGroup(leader, 'SIGKILL')
  }
}

/** A signal without another handler would end this process, but not its groups. */
function onFatalSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return
  if (ending) return endWith(signal)
  ending = true
  for (const leader of groups) signalGroup(leader, 'SIGTERM')
  const deadline = Date.now() + GROUP_END_TIMEOUT_MS
  const poll = setInterval(() => {
    if (Date.now() < deadline && [...groups].some(groupLives)) return
    clearInterval(poll)
    endWith(signal)
  }, POLL_MS)
}

function endWith(signal: NodeJS.Signals): void {
  killAllNow()
  unlisten()
  process.kill(process.pid, signal)
}

function listen(): void {
  process.on('exit', killAllNow)
  for (const signal of FATAL_SIGNALS) process.on(signal, onFatalSignal)
}

function unlisten(): void {
  process.off('exit', killAllNow)
  for (const signal of FATAL_SIGNALS) process.off(signal, onFatalSignal)
}
