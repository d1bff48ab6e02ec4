/**
 * The bench and all it starts on one processor. Where only one call is under way, one program computes at a time and
 * the others wait; over several processors the time until one is woken up on another is then more than what any gateway
 * does, and it changes with where the kernel happens to put them.
 */
import { execFileSync } from 'node:child_process'

/**
 * Where this process may run, as `taskset` writes it (`0-3`, `0,2`); nothing where it cannot be told, as outside of
 * Linux.
 */
function allowedProcessors() {
  try {
    return /list: (\S+)\s*$/.exec(taskset('--pid', String(process.pid)))?.[1]
  } catch {
    return undefined
  }
}

const taskset = (...args) =>
  execFileSync('taskset', ['--all-tasks', '--cpu-list', ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })

const moveTo = (processors) => taskset('--pid', processors, String(process.pid))

/** What `measure()` starts stays where it was started. Gives nothing where programs cannot be told where to run. */
export async function onOneProcessor(progress, measure) {
  const allowed = allowedProcessors()
  if (allowed === undefined) return progress('… not measured on one processor: there is no taskset')
  moveTo(/\d+$/.exec(allowed)[0])
  try {
    return await measure()
  } finally {
    moveTo(allowed)
  }
}
