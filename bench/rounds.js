/**
 * Side-by-side timing: every contender runs once per round, each round starts with another one, and the median of its
 * rounds counts.
 */

export function median(values) {
  return quantile(values, 0.5)
}

export function quantile(values, share) {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}

/** Seconds of work in all threads of this process. */
function ownWork() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

/** Seconds that `run(count)` takes by the clock, and seconds of work it causes. */
async function time({ run, work = ownWork, tidy }, count) {
  const before = await work()
  const start = process.hrtime.bigint()
  await run(count)
  const seconds = Number(process.hrtime.bigint() - start) / 1e9
  const taken = { seconds, work: (await work()) - before }
  await tidy?.()
  return taken
}

/**
 * How many operations, in whole bursts of `grain`, fill `seconds`; finding it out also warms the code up, for `warmUp`
 * seconds at least.
 */
async function calibrate(contender, { seconds, warmUp = 0 }) {
  const { grain = 1 } = contender
  let count = grain
  for (let warm = 0; ; ) {
    const { seconds: taken } = await time(contender, count)
    warm += taken
    const fits = taken >= seconds / 2
    if (fits && warm >= warmUp) return Math.max(1, Math.round((count * seconds) / taken / grain)) * grain
    if (!fits) count *= Math.min(10, Math.max(2, Math.ceil(seconds / taken)))
  }
}

/**
 * `contenders`: `{ name, run(count), grain?, work?, tidy? }`, where `run` does `count` operations, a multiple of
 * `grain`; `work` gives the seconds of processor time used so far, of this process unless told otherwise; and `tidy`
 * clears up after a run, which is not timed. Gives microseconds per operation for each name: the median of the rounds,
 * their spread, the median of the work, and those of each round. On a quiet machine clock and work agree; on a busy one
 * the work is the better measure, since waiting for a processor is no part of it.
 */
export async function compete(contenders, effort) {
  const entries = []
  for (const contender of contenders)
    entries.push({ ...contender, count: await calibrate(contender, effort), samples: [] })
  for (let round = 0; round < effort.rounds; round++) {
    for (let turn = 0; turn < entries.length; turn++) {
      const entry = entries[(round + turn) % entries.length]
      const { seconds, work } = await time(entry, entry.count)
      entry.samples.push({ us: (seconds / entry.count) * 1e6, work: (work / entry.count) * 1e6 })
    }
  }
  return Object.fromEntries(entries.map(({ name, samples }) => [name, summary(samples)]))
}

function summary(samples) {
  const times = samples.map(({ us }) => us)
  return {
    us: median(times),
    low: Math.min(...times),
    high: Math.max(...times),
    work: median(samples.map(({ work }) => work)),
    samples,
  }
}

/** The first of each list, then the second of each: contenders that are compared run right after each other. */
export const alternating = (lists) => lists[0].flatMap((_, at) => lists.map((list) => list[at]))

/** Microseconds of single runs of `work(at)`, for percentiles. `prepare(at)` is not timed. */
export function sample(work, { samples, warmUp = 2000, prepare }) {
  for (let at = 0; at < warmUp; at++) work(prepare?.(at))
  const taken = new Float64Array(samples)
  for (let at = 0; at < samples; at++) {
    const given = prepare?.(at)
    const start = process.hrtime.bigint()
    work(given)
    taken[at] = Number(process.hrtime.bigint() - start) / 1e3
  }
  return { p50: quantile(taken, 0.5), p99: quantile(taken, 0.99) }
}
