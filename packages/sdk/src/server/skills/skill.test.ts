import { describe, expect, it } from 'vitest'
import type { Body } from '../../jsonrpc/index.ts'
import { SKILLS_EXTENSION } from '../../protocol/index.ts'
import { sha256 } from '../../versions/index.ts'
import { rawClient } from '../raw-client.fixtures.ts'
import { resource } from '../resources/resource.ts'
import { createServer, type Server } from '../server.ts'
import { type SkillOptions, skill } from './skill.ts'

const info = { name: 'test', version: '1.0.0' }
const TEXT = '---\nname: git-flow\ndescription: How we branch\nmetadata:\n  version: 1.0\n---\n\n# Branches\n'
const bytesOf = (content: string | Uint8Array): Uint8Array =>
  typeof content === 'string' ? new TextEncoder().encode(content) : content
const sha = (content: string | Uint8Array): string => `sha256:${sha256(bytesOf(content))}`

const refunds = (more: Partial<SkillOptions> = {}) =>
  skill(
    'refunds',
    {
      description: 'Pays back: what, when',
      license: 'MIT',
      allowedTools: 'Read',
      metadata: { version: '2' },
      prefix: 'acme/billing',
      files: {
        'examples/email.md': 'Dear …',
        'logo.png': new Uint8Array([1, 2, 3]),
        'data/my rates.csv': new TextEncoder().encode('a,b'),
      },
      ...more,
    },
    '# Refunds\n',
  )
const ROOT = 'skill://acme/billing/refunds'
const REFUNDS = `---
name: refunds
description: "Pays back: what, when"
license: MIT
metadata:
  version: "2"
allowed-tools: Read
---

# Refunds
`

const serving = (...skills: ReturnType<typeof skill>[]): Server<never> =>
  createServer(info, { onError: () => {} }).add(...skills) as never
const read = async (server: Server<never>, uri: string): Promise<Body> => {
  const client = await rawClient(server)
  return ((await client.result('resources/read', { uri }))['contents'] as Body[])[0] as Body
}

describe('F2 a skill is defined', () => {
  it('by name, options and instructions: SKILL.md is written', async () => {
    expect(await read(serving(refunds()), `${ROOT}/SKILL.md`)).toEqual({
      uri: `${ROOT}/SKILL.md`,
      mimeType: 'text/markdown',
      text: REFUNDS,
    })
  })

  it('by the text of a SKILL.md: it is served as it is', async () => {
    for (const text of [TEXT, `\ufeff${TEXT.replaceAll('\n', '\r\n')}`]) {
      expect(await read(serving(skill(text)), 'skill://git-flow/SKILL.md')).toMatchObject({
        mimeType: 'text/markdown',
        text,
      })
    }
  })

  it('with files, as text where they are', async () => {
    const server = serving(refunds())
    expect(await read(server, `${ROOT}/examples/email.md`)).toEqual({
      uri: `${ROOT}/examples/email.md`,
      mimeType: 'text/markdown',
      text: 'Dear …',
    })
    expect(await read(server, `${ROOT}/logo.png`)).toEqual({
      uri: `${ROOT}/logo.png`,
      mimeType: 'image/png',
      blob: 'AQID',
    })
    expect(await read(server, `${ROOT}/data/my%20rates.csv`)).toEqual({
      uri: `${ROOT}/data/my%20rates.csv`,
      mimeType: 'text/csv',
      text: 'a,b',
    })
    expect(
      await read(serving(refunds({ files: { 'a.md': new Uint8Array([0xff]), LICENSE: 'x' } })), `${ROOT}/a.md`),
    ).toMatchObject({ blob: '/w==' })
    expect(await read(serving(refunds({ files: { LICENSE: 'x' } })), `${ROOT}/LICENSE`)).toMatchObject({
      mimeType: 'text/plain',
      text: 'x',
    })
  })

  const noBody = undefined as unknown as string
  it.each<[string, () => unknown, RegExp]>([
    ['a name with capitals', () => skill('Refunds', { description: 'x' }, ''), /"name" is "Refunds": use 1 to 64/],
    ['no description', () => skill('a', {} as never, ''), /"description" is missing/],
    ['no options', () => skill('a', null as never, ''), /no options/],
    ['no instructions', () => skill('refunds', { description: 'x' }, noBody), /"refunds" has no instructions/],
    ['no text at all', () => skill(5 as never), /needs a name/],
    ['instructions that are none', () => skill('a', { description: 'x' }, 5 as never), /no text/],
    ['a frontmatter that cannot be read', () => skill('---\nname: a: b\n---\n'), /frontmatter of SKILL.md: line 1 /],
    ['a frontmatter without an end', () => skill('---\nname: a\n'), /no frontmatter/],
    ['a frontmatter without a name', () => skill('---\ndescription: x\n---\n'), /"name" is missing/],
    [
      'a foreign option',
      () => skill('a', { description: 'x', 'allowed-tools': 'y' } as never, ''),
      /use "allowedTools"/,
    ],
    [
      'another name among the fields',
      () => skill('a', { description: 'x', fields: { name: 'B' } }, ''),
      /"name" is "B"/,
    ],
    ['a file that leads out', () => refunds({ files: { '../a': '' } }), /"..\/a": use a path within/],
    ['its own SKILL.md', () => refunds({ files: { 'SKILL.md': '' } }), /is the skill itself/],
    ['a file that is a folder', () => refunds({ files: { a: '', 'a/b': '' } }), /"a": it is a folder/],
    ['a file that is none', () => refunds({ files: { a: 5 as never } }), /The file a of refunds is number/],
    ['a bad prefix', () => refunds({ prefix: '/acme' }), /prefix "\/acme"/],
    [
      'too many files',
      () => refunds({ files: Object.fromEntries(Array.from({ length: 512 }, (_, at) => [`f${at}`, ''])) }),
      /513 files/,
    ],
    ['too many bytes', () => refunds({ files: { a: new Uint8Array(17 * 1024 * 1024) } }), /bytes; clients take/],
  ])('never with %s', (_, define, reason) => {
    expect(define).toThrow(reason)
  })

  it('once for a URI, and goes with all its files', async () => {
    const server = serving(refunds())
    expect(() => server.add(refunds())).toThrow(/already defined/)
    expect(() => server.add(resource(`${ROOT}/logo.png`, {}, () => ''))).toThrow(/already defined/)
    expect(server.remove('resource', `${ROOT}/logo.png`)).toBe(false)
    expect(server.remove(`${ROOT}/logo.png`)).toBe(false)
    expect(server.remove('skill', `${ROOT}/SKILL.md`)).toBe(true)
    expect(server.remove('skill', `${ROOT}/SKILL.md`)).toBe(false)
    server.add(
      refunds(),
      resource('a:b', {}, () => ''),
    )
    expect(server.remove(`${ROOT}/SKILL.md`)).toBe(true)
    const client = await rawClient(server)
    expect((await client.result('resources/list'))['resources']).toHaveLength(1)
    expect(await client.error('skills/list')).toMatchObject({ code: -32601 })
  })
})

describe('F2 skills are declared', () => {
  const declared = async (server: Server<never>): Promise<Body> =>
    (await rawClient(server)).initialized['capabilities'] as Body

  it('with resources, as soon as there is one', async () => {
    expect(await declared(serving(refunds()))).toMatchObject({
      resources: { listChanged: true },
      extensions: { [SKILLS_EXTENSION]: { directoryRead: true } },
    })
    expect(await declared(createServer(info) as never)).not.toHaveProperty('extensions')
    const offering = createServer(info, { offers: ['skills'] }) as never
    expect(await declared(offering)).toMatchObject({ resources: {}, extensions: { [SKILLS_EXTENSION]: {} } })
    expect(await (await rawClient(offering)).result('skills/list')).toEqual({
      skills: [],
      ttlMs: 0,
      cacheScope: 'private',
    })
  })

  it('without folders, if so wished', async () => {
    const server = createServer(info, { extensions: { [SKILLS_EXTENSION]: { directoryRead: false } } }).add(
      refunds(),
    ) as never
    expect(await declared(server)).toMatchObject({ extensions: { [SKILLS_EXTENSION]: { directoryRead: false } } })
    expect(await (await rawClient(server)).error('resources/directory/read', { uri: ROOT })).toMatchObject({
      code: -32601,
    })
  })
})

describe('F2 skills/list and skills/get', () => {
  it('give entries with all files', async () => {
    const client = await rawClient(serving(refunds(), skill(TEXT)))
    const { skills, ...rest } = await client.result('skills/list')
    const file = (path: string, content: string | Uint8Array) => ({
      uri: `${ROOT}/${path}`,
      digest: sha(content),
      size: bytesOf(content).length,
    })
    const entry = {
      uri: `${ROOT}/SKILL.md`,
      frontmatter: {
        name: 'refunds',
        description: 'Pays back: what, when',
        license: 'MIT',
        metadata: { version: '2' },
        'allowed-tools': 'Read',
      },
      resources: [
        file('SKILL.md', REFUNDS),
        file('examples/email.md', 'Dear …'),
        file('logo.png', new Uint8Array([1, 2, 3])),
        file('data/my%20rates.csv', 'a,b'),
      ],
    }
    expect(skills).toEqual([
      entry,
      {
        uri: 'skill://git-flow/SKILL.md',
        frontmatter: { name: 'git-flow', description: 'How we branch', metadata: { version: 1 } },
        resources: [{ uri: 'skill://git-flow/SKILL.md', digest: sha(TEXT), size: TEXT.length }],
      },
    ])
    expect(rest).toEqual({ ttlMs: 0, cacheScope: 'private' })
    expect(await client.result('skills/get', { uri: entry.uri })).toEqual({
      skill: entry,
      ttlMs: 0,
      cacheScope: 'private',
    })
  })

  it('say how long they stay fresh', async () => {
    const cache = { lists: { ttl: '1m', scope: 'public' }, resources: { ttl: '2m' } } as const
    const client = await rawClient(createServer(info, { cache }).add(skill(TEXT)))
    expect(await client.result('skills/list')).toMatchObject({ ttlMs: 60_000, cacheScope: 'public' })
    expect(await client.result('skills/get', { uri: 'skill://git-flow/SKILL.md' })).toMatchObject({
      ttlMs: 120_000,
      cacheScope: 'private',
    })
  })

  it('F7 come in pages', async () => {
    const skills = Array.from({ length: 5 }, (_, at) => skill(`s${at}`, { description: 'x' }, ''))
    const client = await rawClient(createServer(info, { pageSize: 2 }).add(...skills))
    const names: unknown[] = []
    let cursor: unknown
    do {
      const page = await client.result('skills/list', cursor === undefined ? {} : { cursor })
      names.push((page['skills'] as Body[]).map((entry) => (entry['frontmatter'] as Body)['name']))
      cursor = page['nextCursor']
    } while (cursor !== undefined)
    expect(names).toEqual([['s0', 's1'], ['s2', 's3'], ['s4']])
    expect(await client.error('skills/list', { cursor: 'x' })).toMatchObject({ code: -32602 })
  })

  it.each(['skill://none/SKILL.md', `${ROOT}/logo.png`, ROOT, ''])('E3 know no skill at %j', async (uri) => {
    const client = await rawClient(serving(refunds()))
    expect(await client.error('skills/get', { uri })).toMatchObject({ code: -32602 })
  })

  it('load files when they are first needed, once', async () => {
    const calls: string[] = []
    const later = (name: string) => async () => {
      calls.push(name)
      return name
    }
    const server = serving(skill('a', { description: 'x', files: { 'f.md': later('f') } }, later('body')))
    const client = await rawClient(server)
    await client.result('resources/list')
    expect(calls).toEqual([])
    const [one, two] = await Promise.all([client.result('skills/list'), client.result('skills/list')])
    await client.result('resources/read', { uri: 'skill://a/f.md' })
    expect(calls.sort()).toEqual(['body', 'f'])
    expect(one).toEqual(two)
  })

  it('promise nothing about a dynamic skill, which is made anew each time', async () => {
    let count = 0
    const server = serving(
      skill('a', { description: 'x', dynamic: true, files: { 'n.txt': () => `${++count}` } }, () => `# ${++count}`),
    )
    const client = await rawClient(server)
    expect((await client.result('skills/list'))['skills']).toEqual([
      { uri: 'skill://a/SKILL.md', frontmatter: { name: 'a', description: 'x' }, resources: 'dynamic' },
    ])
    expect(await read(server, 'skill://a/SKILL.md')).toMatchObject({ text: '---\nname: a\ndescription: x\n---\n\n# 1' })
    expect(await read(server, 'skill://a/n.txt')).toMatchObject({ text: '2' })
    expect(await read(server, 'skill://a/n.txt')).toMatchObject({ text: '3' })
  })

  it('E2 leave out a skill whose files cannot be had, and try again the next time', async () => {
    const errors: unknown[] = []
    let broken = true
    const flaky = skill(
      'flaky',
      { description: 'x', files: { 'f.md': () => (broken ? Promise.reject(new Error('disk')) : 'ok') } },
      '',
    )
    const huge = skill('huge', { description: 'x', files: { 'f.bin': () => new Uint8Array(17 * 1024 * 1024) } }, '')
    const client = await rawClient(
      createServer(info, { onError: (error) => errors.push(String(error)) }).add(flaky, huge, skill(TEXT)),
    )
    const names = async (): Promise<unknown> =>
      ((await client.result('skills/list'))['skills'] as { uri: string }[]).map(({ uri }) => uri)
    expect(await names()).toEqual(['skill://git-flow/SKILL.md'])
    expect(errors).toEqual(['Error: disk', expect.stringMatching(/RangeError: The skill "huge" has \d+ bytes/)])
    expect(await client.error('skills/get', { uri: 'skill://flaky/SKILL.md' })).toMatchObject({
      code: -32603,
      message: 'Internal error',
    })
    broken = false
    expect(await names()).toEqual(['skill://flaky/SKILL.md', 'skill://git-flow/SKILL.md'])
  })

  it('count the files of nested skills among those of the outer one', async () => {
    const outer = skill('billing', { description: 'x', prefix: 'acme' }, '')
    const client = await rawClient(serving(outer, refunds({ files: {} })))
    const files = async (): Promise<unknown> =>
      ((await client.result('skills/get', { uri: 'skill://acme/billing/SKILL.md' }))['skill'] as Body)['resources']
    expect(await files()).toMatchObject([{ uri: 'skill://acme/billing/SKILL.md' }, { uri: `${ROOT}/SKILL.md` }])
    const mixed = await rawClient(serving(outer, refunds({ files: {}, dynamic: true })))
    expect((await mixed.result('skills/get', { uri: 'skill://acme/billing/SKILL.md' }))['skill']).toMatchObject({
      resources: 'dynamic',
    })
  })
})

describe('F2 resources/directory/read', () => {
  it('lists what is directly in a folder', async () => {
    const client = await rawClient(
      serving(refunds({ files: { 'a/b/c.md': '', 'a/d e/f.txt': '', 'a/z.bin': '' } }), skill(TEXT)),
    )
    const inside = async (uri: string): Promise<unknown> =>
      (await client.result('resources/directory/read', { uri }))['resources']
    expect(await inside(ROOT)).toEqual([
      { uri: `${ROOT}/SKILL.md`, name: 'refunds', description: 'Pays back: what, when', mimeType: 'text/markdown' },
      { uri: `${ROOT}/a`, name: 'a', mimeType: 'inode/directory' },
    ])
    expect(await inside(`${ROOT}/a`)).toEqual([
      { uri: `${ROOT}/a/b`, name: 'b', mimeType: 'inode/directory' },
      { uri: `${ROOT}/a/d%20e`, name: 'd e', mimeType: 'inode/directory' },
      { uri: `${ROOT}/a/z.bin`, name: 'z.bin' },
    ])
    expect(await inside('skill://acme')).toEqual([
      { uri: 'skill://acme/billing', name: 'billing', mimeType: 'inode/directory' },
    ])
    expect(await inside('skill://git-flow')).toMatchObject([{ name: 'git-flow' }])
  })

  it.each([`${ROOT}/SKILL.md`, `${ROOT}/`, 'skill://none', 'skill:', 'skill://', ''])(
    'E3 refuses %j, which is no folder',
    async (uri) => {
      const client = await rawClient(serving(refunds()))
      expect(await client.error('resources/directory/read', { uri })).toMatchObject({ code: -32602 })
    },
  )

  it('F7 comes in pages', async () => {
    const client = await rawClient(createServer(info, { pageSize: 2 }).add(refunds({ files: { a: '', b: '' } })))
    const first = await client.result('resources/directory/read', { uri: ROOT })
    expect((first['resources'] as Body[]).map(({ name }) => name)).toEqual(['refunds', 'a'])
    const cursor = first['nextCursor']
    expect(await client.result('resources/directory/read', { uri: ROOT, cursor })).toEqual({
      resources: [{ uri: `${ROOT}/b`, name: 'b' }],
    })
    expect(await client.error('resources/directory/read', { uri: 'skill://acme', cursor })).toMatchObject({
      code: -32602,
    })
  })
})
