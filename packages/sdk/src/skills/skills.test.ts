import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { sha256 } from '../versions/index.ts'
import { digestOf } from './digest.ts'
import { entryFault } from './entry.ts'
import { frontmatterFault, readSkill, sameJson, writeSkill } from './frontmatter.ts'
import { directoryOf, fileUri, pathFault, pathWithin, prefixFault, resolvePath } from './skill-uri.ts'

const DIGEST = `sha256:${'a'.repeat(64)}`

describe('the text of a SKILL.md', () => {
  it('has a frontmatter and a body', () => {
    expect(readSkill('---\nname: a\ndescription: does\n---\n\n# A\n')).toEqual({
      frontmatter: { name: 'a', description: 'does' },
      body: '\n# A\n',
    })
    expect(readSkill('\ufeff---\r\nname: a\r\n--- \r\nbody')).toEqual({ frontmatter: { name: 'a' }, body: 'body' })
    expect(readSkill('---\n---\n---\n')).toEqual({ frontmatter: {}, body: '---\n' })
    expect(readSkill('---\nname: a\n---')).toEqual({ frontmatter: { name: 'a' }, body: '' })
  })

  it.each(['', '# A', '---', '---\nname: a', '--- name: a ---', ' ---\nname: a\n---\n', '---\nname: a ---\n'])(
    'has none in %j',
    (text) => {
      expect(() => readSkill(text)).toThrow(/no frontmatter/)
    },
  )

  it('is written so that it is read as the same', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.dictionary(fc.string(), fc.string(), { noNullPrototype: true }),
        fc.string(),
        (description, metadata, body) => {
          const frontmatter = { name: 'a', description, metadata }
          expect(readSkill(writeSkill(frontmatter, body))).toEqual({ frontmatter, body: `\n${body}` })
        },
      ),
    )
  })

  it.each<[string, Record<string, unknown>, RegExp | undefined]>([
    [
      'all is well',
      { name: 'a-1', description: 'x', license: 'MIT', metadata: { a: 'b' }, 'allowed-tools': 'Bash' },
      undefined,
    ],
    ['no name', { description: 'x' }, /"name" is missing/],
    ['capitals', { name: 'PDF', description: 'x' }, /"name" is "PDF": use 1 to 64 lower case/],
    ['a hyphen at an end', { name: '-a', description: 'x' }, /"name"/],
    ['two hyphens', { name: 'a--b', description: 'x' }, /"name"/],
    ['a name of 65', { name: 'a'.repeat(65), description: 'x' }, /"name"/],
    ['a name that is a number', { name: 12, description: 'x' }, /"name" is 12/],
    ['no description', { name: 'a' }, /"description" is missing/],
    ['a blank description', { name: 'a', description: ' ' }, /"description" is missing/],
    ['a long description', { name: 'a', description: 'x'.repeat(1025) }, /1025 characters/],
    ['a long compatibility', { name: 'a', description: 'x', compatibility: 'x'.repeat(501) }, /"compatibility"/],
    ['metadata that is a list', { name: 'a', description: 'x', metadata: [] }, /"metadata"/],
  ])('%s', (_, frontmatter, fault) => {
    if (fault === undefined) expect(frontmatterFault(frontmatter as never)).toBeUndefined()
    else expect(frontmatterFault(frontmatter as never)).toMatch(fault)
  })

  it('is compared value by value', () => {
    expect(sameJson({ a: [1, { b: null }], c: '' }, { c: '', a: [1, { b: null }] })).toBe(true)
    for (const other of [{ a: 1 }, { a: [1], c: '' }, { a: [1, { b: null }] }, null, [], { a: [1, {}], c: '' }]) {
      expect(sameJson({ a: [1, { b: null }], c: '' }, other)).toBe(false)
    }
  })
})

describe('the place of a skill', () => {
  it('is recovered from the URI', () => {
    expect(directoryOf('skill://acme/refunds/SKILL.md')).toBe('skill://acme/refunds')
    expect(directoryOf('github://o/r/refunds/SKILL.md')).toBe('github://o/r/refunds')
    for (const uri of [
      'skill://refunds/skill.md',
      'skill://SKILL.md',
      'skill:///SKILL.md',
      'refunds/SKILL.md',
      'skill://a/SKILL.md/',
    ])
      expect(directoryOf(uri)).toBeUndefined()
  })

  it('has paths of files, encoded', () => {
    expect(fileUri('skill://a', 'ref/my file#1.md')).toBe('skill://a/ref/my%20file%231.md')
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (path) => {
        fc.pre(pathFault(path) === undefined)
        const uri = fileUri('skill://a', path)
        expect(URL.canParse(uri)).toBe(true)
        expect(pathWithin('skill://a', uri)).toBe(path)
      }),
    )
    expect(pathWithin('skill://a', 'skill://ab/c')).toBeUndefined()
    expect(pathWithin('skill://a', 'skill://a/%zz')).toBeUndefined()
  })

  it.each(['SKILL.md', 'skill.md', '/a', 'a/', 'a//b', './a', 'a/../b', 'a\\b', 'a\0', 'a\ud800', ''])(
    'refuses the path %j',
    (path) => {
      expect(pathFault(path)).toBeTypeOf('string')
    },
  )

  it.each(['', '/', 'a/', '/a', '..', 'a/./b', 'a b', 'ä'])('refuses the prefix %j', (prefix) => {
    expect(prefixFault(prefix)).toBeTypeOf('string')
  })

  it('resolves references, and none that lead out', () => {
    expect(resolvePath('references/a.md')).toBe('references/a.md')
    expect(resolvePath('./references/../scripts//b.py')).toBe('scripts/b.py')
    for (const out of ['../a', 'a/../../b', '/etc/passwd', '.', '', 'a/..']) expect(resolvePath(out)).toBeUndefined()
  })
})

describe('the entry of a skill', () => {
  const file = (uri: string, more: object = {}): object => ({ uri, digest: DIGEST, size: 1, ...more })
  const entry = (more: object = {}): object => ({
    uri: 'skill://a/SKILL.md',
    frontmatter: { name: 'a', description: 'x' },
    resources: [file('skill://a/SKILL.md'), file('skill://a/b/c.md')],
    ...more,
  })

  it('may be complete or dynamic', () => {
    expect(entryFault(entry())).toBeUndefined()
    expect(entryFault(entry({ resources: 'dynamic' }))).toBeUndefined()
  })

  it.each<[string, unknown, RegExp]>([
    ['nothing', null, /no "uri"/],
    ['no uri', entry({ uri: 1 }), /no "uri"/],
    ['another file', entry({ uri: 'skill://a/README.md' }), /does not end in/],
    ['another name', entry({ frontmatter: { name: 'b', description: 'x' } }), /does not end in its name/],
    ['no description', entry({ frontmatter: { name: 'a' } }), /no name and description/],
    ['no resources', entry({ resources: undefined }), /neither a list nor/],
    ['other resources', entry({ resources: 'static' }), /neither a list nor/],
    ['not itself', entry({ resources: [] }), /SKILL.md is not among/],
    ['a file elsewhere', entry({ resources: [file('skill://ab/x')] }), /outside/],
    ['a file twice', entry({ resources: [file('skill://a/x'), file('skill://a/x')] }), /twice/],
    ['a digest in capitals', entry({ resources: [file('skill://a/x', { digest: DIGEST.toUpperCase() })] }), /digest/],
    ['no size', entry({ resources: [file('skill://a/x', { size: 1.5 })] }), /size/],
    ['a negative size', entry({ resources: [file('skill://a/x', { size: -1 })] }), /size/],
    ['a file that is none', entry({ resources: [null] }), /no "uri"/],
  ])('is invalid with %s', (_, invalid, reason) => {
    expect(entryFault(invalid)).toMatch(reason)
  })
})

describe('the digest of a file', () => {
  afterEach(() => vi.unstubAllGlobals())

  it.each([true, false])('is its SHA-256, by the platform: %s', async (platform) => {
    if (!platform) vi.stubGlobal('crypto', {})
    const bytes = new TextEncoder().encode('Zürich\n'.repeat(30))
    expect(await digestOf(new TextEncoder().encode('abc'))).toBe(
      'sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    )
    expect(await digestOf(bytes)).toBe(`sha256:${sha256(bytes)}`)
    expect(await digestOf(bytes.subarray(3, 70))).toBe(`sha256:${sha256(bytes.slice(3, 70))}`)
  })
})
