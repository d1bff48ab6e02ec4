/**
 * The programs that tests start as processes: plain ones as they are, those written on the SDK bundled from its sources
 * first.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'

export const misbehaving: string = fileURLToPath(new URL('misbehaving.mjs', import.meta.url))

export interface Bundled {
  readonly path: string
  remove(): Promise<void>
}

/** One of the programs of this folder as one file that Node can run. */
export async function bundled(program: 'served' | 'parent' | 'suite' | 'lasting'): Promise<Bundled> {
  const dir = await mkdtemp(join(tmpdir(), 'parley-wire-'))
  await build({
    input: { [program]: fileURLToPath(new URL(`${program}.ts`, import.meta.url)) },
    platform: 'node',
    // Optional peers are loaded only when they are used, and these programs do not.
    external: /^(node:|zod|@valibot|ws$)/,
    output: { dir, format: 'esm', entryFileNames: '[name].mjs' },
    logLevel: 'silent',
  })
  return { path: join(dir, `${program}.mjs`), remove: () => rm(dir, { recursive: true, force: true }) }
}
