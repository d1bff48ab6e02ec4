import { describe, expect, it } from 'vitest'
import { filesBelow, isTest, textOf } from './support/files.ts'
import type { Sources } from './support/imports.ts'
import { crowdedFolders, doubleNames } from './support/names.ts'

const sourcesOf = (folder: string): Sources =>
  new Map(
    filesBelow(folder, (path) => path.endsWith('.ts') && !isTest(path)).map((path) => [
      path.slice(folder.length),
      textOf(path),
    ]),
  )

/** Names and folders that are still to be resolved. This list only gets shorter. */
const REMAINING: Readonly<Record<'sdk' | 'gateway', { names: readonly string[]; folders: readonly string[] }>> = {
  sdk: {
    names: [
      'Acceptance',
      'Asked',
      'EventStream',
      'JsonSchema',
      'Listening',
      'Notifications',
      'Opening',
      'Refusal',
      'RequestId',
      'Requests',
      'Target',
      'TaskOutcome',
      'ToolsOf',
      'Verdict',
      'Way',
    ],
    folders: ['client/', 'serve/'],
  },
  gateway: {
    names: ['Conversation', 'Findings', 'Lines', 'Place', 'Subject', 'Way'],
    folders: ['cli/', 'cli/doctor/', 'config/'],
  },
}

describe.each(['sdk', 'gateway'] as const)('the names of packages/%s', (name) => {
  const sources = sourcesOf(`packages/${name}/src/`)

  it('define each exported type once', () => {
    expect(Object.keys(doubleNames(sources)).filter((each) => !REMAINING[name].names.includes(each))).toEqual([])
  })

  it('are in folders of at most 20 files', () => {
    expect(
      crowdedFolders(sources).filter(
        (each) => !REMAINING[name].folders.some((folder) => each.startsWith(`${folder}:`)),
      ),
    ).toEqual([])
  })
})

describe('the checks of the names', () => {
  it('find a type that two files define, whatever it is', () => {
    const sources = new Map([
      ['a.ts', 'export interface Line {}\nexport abstract class Once {}'],
      ['b/c.ts', 'export type Line = string'],
      ['d.ts', 'export class Line {}'],
    ])
    expect(doubleNames(sources)).toEqual({ Line: ['a.ts', 'b/c.ts', 'd.ts'] })
  })

  it('allow exports of imported names, private types and the types of each protocol version', () => {
    const sources = new Map([
      ['a.ts', 'export type Line = string'],
      ['b.ts', `export { type Line } from './a.ts'\nexport type { Other } from './a.ts'\ninterface Line {}`],
      ['protocol/types/2025-06-18.ts', 'export type Line = number'],
    ])
    expect(doubleNames(sources)).toEqual({})
  })

  it('find a folder with more than 20 files', () => {
    const files = (count: number): Sources => new Map(Array.from({ length: count }, (_, at) => [`a/${at}.ts`, '']))
    expect(crowdedFolders(files(21))).toEqual(['a/: 21 files'])
    expect(crowdedFolders(files(20))).toEqual([])
  })
})
