/**
 * The same load through several subjects in turn: how many calls a second, how long the middle one takes, and how much
 * work it is.
 */
import { compete, median, quantile } from '../rounds.js'

/** `subjects`: `{ name, work, repeated(load, inFlight) }`. */
export async function sideBySide(subjects, load, inFlight, effort) {
  const entries = []
  for (const { name, work, repeated } of subjects) entries.push({ name, work, ...(await repeated(load, inFlight)) })
  const results = await compete(entries, effort)
  for (const { name, rounds, bytes } of entries) {
    // Those before were for warming up.
    const counted = rounds.slice(-effort.rounds)
    results[name].bytes = bytes
    if (counted.length > 0) results[name].p50 = median(counted.map((taken) => quantile(taken, 0.5))) * 1000
  }
  return { load: load.id, inFlight, title: `${load.title}, ${inFlight} at a time`, results }
}
