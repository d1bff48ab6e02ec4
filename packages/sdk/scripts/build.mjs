/** Builds the package: declarations by `tsc`, file by file; code by rolldown, one file per entry and a few shared chunks. */
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'

const folder = fileURLToPath(new URL('..', import.meta.url))

/** `./dist/server.js` → `server`: what is built is what the manifest offers. */
function entries() {
  const { exports } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
  return Object.values(exports)
    .map((target) => target.default)
    .map((path) => path.slice('./dist/'.length, -'.js'.length))
}

// What an earlier build left would otherwise be published.
rmSync(`${folder}/dist`, { recursive: true, force: true })

const { status } = spawnSync('tsc -p tsconfig.build.json', { cwd: folder, stdio: 'inherit', shell: true })
if (status !== 0) process.exit(status ?? 1)

await build({
  cwd: folder,
  input: Object.fromEntries(entries().map((entry) => [entry, `src/${entry}.ts`])),
  platform: 'neutral',
  // Nothing from outside is bundled: dependencies are loaded when they are needed.
  external: /^[^./]/,
  transform: { target: 'es2022' },
  output: {
    dir: 'dist',
    format: 'esm',
    chunkFileNames: 'chunks/[name].js',
    comments: { annotation: true, jsdoc: false, legal: true },
  },
})
