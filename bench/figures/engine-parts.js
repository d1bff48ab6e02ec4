/** The parts of the engine that the figures need from inside, of this checkout and of the one beside it. */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { HERE } from '../checkout.js'

/**
 * Folders of two checkouts may differ, so the other one's own `built.js` says where its parts are. They are compiled
 * into this checkout: nothing is written into the other.
 */
async function compiled(root) {
  const folder = join(HERE, '.cache/beside')
  const project = join(root, 'packages/sdk/tsconfig.build.json')
  const options = ['--emitDeclarationOnly', 'false', '--declaration', 'false', '--outDir', folder]
  execFileSync(join(HERE, 'node_modules/.bin/tsc'), ['-p', project, ...options], { cwd: HERE, stdio: 'inherit' })
  const parts = readFileSync(join(root, 'bench/figures/built.js'), 'utf8')
  const file = join(folder, 'built.js')
  writeFileSync(file, parts.replaceAll('../../.cache/engine/', './'))
  return await import(pathToFileURL(file).href)
}

export const enginePartsOf = (root) => (root === HERE ? import('./built.js') : compiled(root))
