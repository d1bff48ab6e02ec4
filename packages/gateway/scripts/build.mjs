/** Builds the package: declarations by `tsc`, code by rolldown, one file per entry and a few shared chunks. */
import { spawnSync } from 'node:child_process'
import { chmodSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'

const folder = fileURLToPath(new URL('..', import.meta.url))

// What an earlier build left would otherwise be published.
rmSync(`${folder}/dist`, { recursive: true, force: true })

const { status } = spawnSync('tsc -p tsconfig.build.json', { cwd: folder, stdio: 'inherit', shell: true })
if (status !== 0) process.exit(status ?? 1)

await build({
  cwd: folder,
  input: { index: 'src/index.ts', cli: 'src/cli.ts' },
  platform: 'node',
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
chmodSync(`${folder}/dist/cli.js`, 0o755)
