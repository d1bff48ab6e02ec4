/** Builds the package unless the build there is newer than its sources: programs that run on it may be started at any time, beside others that use it. */
import { spawnSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const sdk = fileURLToPath(new URL('../packages/sdk/', import.meta.url))

const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

function newestBelow(folder) {
  const times = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile())
  return Math.max(...times.map((entry) => changedAt(join(entry.parentPath ?? entry.path, entry.name))))
}

const builtAt = changedAt(join(sdk, 'dist', 'node.js'))
if (builtAt < Math.max(newestBelow(join(sdk, 'src')), changedAt(join(sdk, 'package.json')))) {
  const { status, error } = spawnSync('npm run --silent build', { cwd: fileURLToPath(new URL('..', import.meta.url)), shell: true, stdio: 'inherit' })
  if (error !== undefined) console.error(error.message)
  process.exitCode = status ?? 1
}
