/** One file per entry, and what entries share in a few chunks: a process that imports Parley opens three files instead of a hundred. */
import { readFileSync } from 'node:fs'
import { defineConfig } from 'rolldown'

const { exports } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'))

/** `./dist/server.js` → `server`: what is built is what the manifest offers. */
const entries = Object.values(exports)
  .filter((target) => typeof target === 'object')
  .map((target) => target.default.slice('./dist/'.length, -'.js'.length))

export default defineConfig({
  input: Object.fromEntries(entries.map((entry) => [entry, new URL(`src/${entry}.ts`, import.meta.url).pathname])),
  platform: 'neutral',
  external: /^[^./]/,
  transform: { target: 'es2022' },
  output: { dir: 'dist', format: 'esm', chunkFileNames: 'chunks/[name].js', comments: { annotation: true, jsdoc: false, legal: true } },
})
