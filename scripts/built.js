/**
 * Builds the packages unless what was built is newer than its sources: programs that run on it may be started at any
 * time, beside others that use it.
 */
import { spawnSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const packages = [
  { folder: join(root, 'packages', 'sdk'), built: 'node.js' },
  { folder: join(root, 'packages', 'gateway'), built: 'cli.js' },
]

const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

function newestBelow(folder) {
  const times = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile())
  return Math.max(...times.map((entry) => changedAt(join(entry.parentPath ?? entry.path, entry.name))))
}

function isOld({ folder, built }) {
  return (
    changedAt(join(folder, 'dist', built)) <
    Math.max(newestBelow(join(folder, 'src')), changedAt(join(folder, 'package.json')))
  )
}

if (packages.some(isOld)) {
  const { status, error } = spawnSync('npm run --silent build', { cwd: root, shell: true, stdio: 'inherit' })
  if (error !== undefined) console.error(error.message)
  process.exitCode = status ?? 1
}
