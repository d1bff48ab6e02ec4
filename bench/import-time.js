/** How long a fresh process takes to import a server library, side by side. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { median } from './rounds.js'

const here = fileURLToPath(new URL('..', import.meta.url))

/** Milliseconds of the import alone, and of the whole process. */
function importOnce(specifier) {
  const script = `const start = performance.now(); import(${JSON.stringify(specifier)}).then(() => process.stdout.write(String(performance.now() - start)))`
  const start = performance.now()
  const ms = Number(execFileSync(process.execPath, ['-e', script], { cwd: here, encoding: 'utf8' }))
  return { ms, whole: performance.now() - start }
}

export function measureImports(specifiers, rounds) {
  const taken = specifiers.map((specifier) => ({ specifier, samples: [] }))
  for (const { specifier } of taken) importOnce(specifier)
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < taken.length; turn++) {
      const { specifier, samples } = taken[(round + turn) % taken.length]
      samples.push(importOnce(specifier))
    }
  }
  return taken.map(({ specifier, samples }) => ({
    specifier,
    ms: median(samples.map(({ ms }) => ms)),
    whole: median(samples.map(({ whole }) => whole)),
  }))
}
