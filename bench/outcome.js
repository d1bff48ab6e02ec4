/**
 * What becomes of the figures of a run: shown, kept when they are worth it, and an exit code when goals are to be met.
 */
import { mkdirSync, writeFileSync } from 'node:fs'

export function conclude(name, figures, text, { quick, only, peers, check }) {
  console.log(text)
  // A quick look, or a part of it, is not worth keeping.
  if (!quick && only === undefined && peers === undefined) keep(name, figures, text)
  if (check && figures.goals.some(({ met }) => !met)) process.exitCode = 1
}

function keep(name, figures, text) {
  const folder = new URL('./results/', import.meta.url)
  mkdirSync(folder, { recursive: true })
  writeFileSync(new URL(`${name}.json`, folder), `${JSON.stringify(figures, withoutRounds, 2)}\n`)
  writeFileSync(new URL(`${name}.md`, folder), text)
}

/** What every round had is for telling the figures, and far more than they. */
const withoutRounds = (key, value) => (key === 'samples' ? undefined : value)
