import { describe, expect, it } from 'vitest'
import { filesBelow, isTest, textOf } from './support/files.ts'
import { allImports, packageOf, reachable, type Sources } from './support/imports.ts'
import {
  ARROWS,
  drawnArrows,
  entries,
  folderCycles,
  forbiddenArrows,
  gatewayLayers,
  longFiles,
  nodeImports,
} from './support/layers.ts'

const sourcesOf = (folder: string): Sources =>
  new Map(
    filesBelow(folder, (path) => path.endsWith('.ts') && !isTest(path)).map((path) => [
      path.slice(folder.length),
      textOf(path),
    ]),
  )

type Manifest = Record<'dependencies' | 'peerDependencies', Record<string, string> | undefined>

const sources = sourcesOf('packages/sdk/src/')
const manifest = JSON.parse(textOf('packages/sdk/package.json')) as Manifest

describe('the layers of the SDK', () => {
  it('has sources to look at', () => {
    expect(sources.size).toBeGreaterThan(20)
    expect(allImports(sources).length).toBeGreaterThan(40)
  })

  it('imports only along the arrows, through the index of a folder', () => {
    expect(forbiddenArrows(sources)).toEqual([])
  })

  it('is drawn in CONTRIBUTING.md as it is checked here', () => {
    expect(drawnArrows(textOf('CONTRIBUTING.md'), '## Layers of the SDK')).toEqual(ARROWS)
  })

  it('resolves every relative import to a source', () => {
    const missing = allImports(sources).filter(({ target }) => target !== undefined && !sources.has(target))
    expect(missing).toEqual([])
  })

  it('has no folders that import each other', () => {
    expect(folderCycles(sources)).toEqual([])
  })

  it('keeps server and client apart', () => {
    const across = (entry: string, folder: string) =>
      reachable(entry, sources).filter(({ target }) => target?.startsWith(`${folder}/`))
    expect(across('server.ts', 'client')).toEqual([])
    expect(across('client.ts', 'server')).toEqual([])
  })

  it('loads no node: module except from the node entry', () => {
    expect(nodeImports(sources)).toEqual([])
  })

  it('uses no global of one runtime outside the node entry', () => {
    const code = [...sources].filter(([path]) => path !== 'node.ts' && !path.startsWith('node/'))
    const used = code.filter(([, text]) =>
      /(?<![\w.'"`/])(Buffer|process|__dirname|require)\s*[.(]/.test(text.replace(/^\s*(\/\/|\*|\/\*).*$/gm, '')),
    )
    expect(used.map(([path]) => path)).toEqual([])
  })

  it('imports only packages that its manifest names', () => {
    const named = { ...manifest.dependencies, ...manifest.peerDependencies }
    const bare = allImports(sources).filter(
      ({ specifier, target }) => target === undefined && !specifier.startsWith('node:'),
    )
    expect(bare.filter(({ specifier }) => !(packageOf(specifier) in named))).toEqual([])
  })

  it('keeps files short', () => {
    expect(longFiles(sources)).toEqual([])
  })

  it('opens every module with a sentence on what it is for', () => {
    const silent = [...sources].filter(
      ([path, text]) => !path.endsWith('index.ts') && !entries.includes(path) && !text.startsWith('/**'),
    )
    expect(silent.map(([path]) => path)).toEqual([])
  })

  it('compares versions only in versions/, and error codes by version in the catalogue', () => {
    const comparison =
      /[<>]=?\s*['"]20\d\d-\d\d-\d\d|['"]20\d\d-\d\d-\d\d['"]\s*[<>]|\bversion\s*[<>]=?\s*['"\w]|isAtLeast\(/
    const elsewhere = [...sources].filter(
      ([path, text]) => !/^(versions\/|errors\/catalogue\.ts$)/.test(path) && comparison.test(text),
    )
    expect(elsewhere.map(([path]) => path)).toEqual([])
  })
})

describe('the layers of the gateway', () => {
  const own = sourcesOf('packages/gateway/src/')

  it('has sources to look at', () => {
    expect(own.size).toBeGreaterThan(80)
    expect(allImports(own).length).toBeGreaterThan(200)
  })

  it('imports only along the arrows, through the index of a folder', () => {
    expect(forbiddenArrows(own, gatewayLayers)).toEqual([])
  })

  it('is drawn in CONTRIBUTING.md as it is checked here', () => {
    expect(drawnArrows(textOf('CONTRIBUTING.md'), '## Layers of the gateway')).toEqual(gatewayLayers.arrows)
  })

  it('resolves every relative import to a source', () => {
    expect(allImports(own).filter(({ target }) => target !== undefined && !own.has(target))).toEqual([])
  })

  it('has no folders that import each other', () => {
    expect(folderCycles(own)).toEqual([])
  })

  it('imports only packages that its manifest names, and of the SDK what anybody may import', () => {
    const { dependencies = {} } = JSON.parse(textOf('packages/gateway/package.json')) as Manifest
    const { exports: offered } = JSON.parse(textOf('packages/sdk/package.json')) as { exports: Record<string, unknown> }
    const bare = allImports(own).filter(
      ({ specifier, target }) => target === undefined && !specifier.startsWith('node:'),
    )
    expect(bare.filter(({ specifier }) => !(packageOf(specifier) in dependencies))).toEqual([])
    expect(
      bare.filter(
        ({ specifier }) => packageOf(specifier) === 'parley-mcp' && !(specifier.replace('parley-mcp', '.') in offered),
      ),
    ).toEqual([])
  })

  it('keeps files short, and opens every module with a sentence on what it is for', () => {
    expect(longFiles(own)).toEqual([])
    const silent = [...own].filter(([path, text]) => !path.endsWith('index.ts') && !/^(#!.*\n)?\/\*\*/.test(text))
    expect(silent.map(([path]) => path)).toEqual([])
  })

  it('compares no versions', () => {
    const comparison = /[<>]=?\s*['"]20\d\d-\d\d-\d\d|['"]20\d\d-\d\d-\d\d['"]\s*[<>]/
    expect([...own].filter(([, text]) => comparison.test(text)).map(([path]) => path)).toEqual([])
  })
})

describe('the checks of the layers', () => {
  const made = (files: Record<string, string>): Sources => new Map(Object.entries(files))

  it.each([
    [
      'an arrow against the table',
      'errors/a.ts',
      `import { x } from '../protocol/index.ts'`,
      /errors may not import protocol/,
    ],
    [
      'server importing client',
      'server/a.ts',
      `import type { C } from '../client/index.ts'`,
      /server may not import client/,
    ],
    ['client importing server', 'client/a.ts', `export * from '../server/index.ts'`, /client may not import server/],
    [
      'a way past the index',
      'session/a.ts',
      `import { plan } from '../versions/plan.ts'`,
      /goes past versions\/index.ts/,
    ],
    [
      'an import over several lines',
      'errors/a.ts',
      `import {\n  a,\n  type B,\n} from '../jsonrpc/index.ts'`,
      /errors may not import jsonrpc/,
    ],
    ['an import for its effect', 'errors/a.ts', `import '../schema/index.ts'`, /errors may not import schema/],
    [
      'an import in an expression',
      'jsonrpc/a.ts',
      `const m = await import('../schema/index.ts')`,
      /jsonrpc may not import schema/,
    ],
    ['a folder nobody placed', 'misc/a.ts', `import { x } from '../errors/index.ts'`, /not in the layer table/],
    ['an entry used from inside', 'server/a.ts', `import { x } from '../index.ts'`, /imports an entry file/],
    [
      'the client in the server entry',
      'server.ts',
      `export { connect } from './client/index.ts'`,
      /server.ts may not import client/,
    ],
  ])('catch %s', (_, path, text, problem) => {
    expect(forbiddenArrows(made({ [path]: text }))).toEqual([expect.stringMatching(problem)])
  })

  it('allow what an allowed folder may import', () => {
    const files = {
      'server/a.ts': `import { ParleyError } from '../errors/index.ts'`,
      'session/b.ts': `import { c } from './c.ts'`,
    }
    expect(forbiddenArrows(made(files))).toEqual([])
  })

  it('are not misled by comments', () => {
    expect(
      forbiddenArrows(
        made({ 'errors/a.ts': `/**\n * import { x } from '../server/index.ts'\n */\n// import '../client/index.ts'` }),
      ),
    ).toEqual([])
  })

  it('find cycles between folders', () => {
    const files = {
      'a/index.ts': `import '../b/index.ts'`,
      'b/index.ts': `import '../c/index.ts'`,
      'c/index.ts': `import '../a/index.ts'`,
    }
    expect(folderCycles(made(files)).sort()).toEqual(['a', 'b', 'c'])
  })

  it('find a node: module however far it is from the entry', () => {
    const files = {
      'server.ts': `export { x } from './server/index.ts'`,
      'server/index.ts': `export { x } from './x.ts'`,
      'server/x.ts': `import { readFile } from 'node:fs'`,
    }
    expect(nodeImports(made(files))).toEqual(['server/x.ts → node:fs'])
    expect(nodeImports(made({ 'node.ts': `import 'node:net'` }))).toEqual([])
  })

  it('find files that are too long', () => {
    expect(longFiles(made({ 'a.ts': 'x\n'.repeat(441) }))).toEqual([expect.stringContaining('441 lines')])
    expect(longFiles(made({ 'a.ts': 'x\n'.repeat(440) }))).toEqual([])
  })
})
