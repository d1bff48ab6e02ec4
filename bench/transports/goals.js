/** What the figures of the transports are held against. */
import { digits } from '../table.js'

const IDLE_KIB = 4
const START_TIMES = 1.4

function shareOfFloor({ title, goal, results: { floor, parley } }) {
  const share = floor.us / parley.us
  return {
    goal: `${title}: at least ${goal} of the floor`,
    met: share >= goal,
    figure: `${digits(share)}; by work ${digits(floor.work / parley.work)}`,
  }
}

export function goalsOf({ scenarios, idle, starts }) {
  const goals = scenarios.filter(({ results }) => results.parley !== undefined).map(shareOfFloor)
  if (idle?.parley !== undefined) {
    const kib = idle.parley / 1024
    goals.push({
      goal: `memory of an idle session: at most ${IDLE_KIB} KiB`,
      met: kib <= IDLE_KIB,
      figure: `${digits(kib)} KiB`,
    })
  }
  if (starts?.parley !== undefined) {
    const times = starts.parley.ms / starts.floor.ms
    goals.push({
      goal: `cold start over stdio: at most ${START_TIMES} times the floor`,
      met: times <= START_TIMES,
      figure: `${digits(times)}×; by work ${digits(starts.parley.work / starts.floor.work)}×`,
    })
  }
  return goals
}
