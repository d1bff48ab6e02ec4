/** The map of the code in docs/architecture.md: its pipeline is the one that runs, and its paths exist. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createPipeline, stagesOf } from '../packages/gateway/src/calls/index.ts'
import { ClientLimit } from '../packages/gateway/src/limits/index.ts'
import { root, textOf } from './support/files.ts'

const document = textOf('docs/architecture.md')
const limits = { clients: new ClientLimit({ limit: undefined }) }

describe('docs/architecture.md', () => {
  it('shows the stages of the pipeline in their order', () => {
    const rows = stagesOf(limits).map(({ run, purpose }) => `| \`${run.name}\` | ${purpose} |`)
    expect(document.match(/^\| `\w+` \| .* \|$/gm)?.slice(0, rows.length)).toEqual(rows)
    expect(createPipeline(limits).stagesFor('tools/call', 'stateless', 'handshake', 'all').length).toBeGreaterThan(5)
  })

  it('names files and folders that exist', () => {
    const paths = [...document.matchAll(/`(packages\/[\w./-]+)`/g)].map(([, path]) => path as string)
    expect(paths.length).toBeGreaterThan(20)
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })

  it('draws folders that exist', () => {
    const drawn = [...document.matchAll(/```\n([\s\S]*?)```/g)].map(([, drawing]) => drawing as string)
    const folders = drawn.map((drawing) =>
      [...drawing.matchAll(/\b([a-z]+(?:\/[a-z]+)*)\/(?=\s|[a-z])/g)].map(([, path]) => path),
    )
    const missing = (base: string, list: readonly (string | undefined)[]) =>
      list.filter((path) => !existsSync(join(root, base, path ?? '')))
    expect(missing('packages/sdk/src', folders[0] ?? [])).toEqual([])
    expect(missing('packages/gateway/src', folders[1] ?? [])).toEqual([])
  })
})
