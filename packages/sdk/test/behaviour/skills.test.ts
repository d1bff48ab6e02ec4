/** Skills end to end, in every version, and what a client does with a server that cannot be trusted. */
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { rawServer } from '../../src/client/raw-server.fixtures.ts'
import type { SkillEntry } from '../../src/client.ts'
import { connect as connectTo } from '../../src/client.ts'
import { createServer, skill, tool } from '../../src/server.ts'
import { connect, everyVersion } from '../../src/testing.ts'

const SKILLS = 'io.modelcontextprotocol/skills'
const info = { name: 'office', version: '1.0.0' }

const pdf = () =>
  skill(
    'pdf-processing',
    {
      description: 'Extract, fill, and assemble PDF documents',
      files: { 'references/FORMS.md': '# Forms', 'logo.png': new Uint8Array([1, 2]) },
    },
    '# PDF\n\nSee [forms](references/FORMS.md).\n',
  )

everyVersion((version) => {
  describe(`F2 skills (${version})`, () => {
    it('are listed without reading a file, and loaded with their files', async () => {
      await using client = await connect(createServer(info).add(pdf()), { version })
      expect(client.capabilities.extensions).toEqual({ [SKILLS]: { directoryRead: true } })
      const [entry] = await client.skills()
      expect(entry).toMatchObject({ uri: 'skill://pdf-processing/SKILL.md', frontmatter: { name: 'pdf-processing' } })
      expect(client.transcript.lines.filter((line) => line.includes('resources/read'))).toEqual([])

      const loaded = await client.skill(entry as SkillEntry)
      expect(loaded).toMatchObject({
        uri: entry?.uri,
        name: 'pdf-processing',
        description: 'Extract, fill, and assemble PDF documents',
      })
      expect(loaded.instructions).toBe('\n# PDF\n\nSee [forms](references/FORMS.md).\n')
      expect(loaded.files).toEqual(['SKILL.md', 'references/FORMS.md', 'logo.png'])
      expect(await loaded.read('./references/FORMS.md')).toBe('# Forms')
      expect(await loaded.read('logo.png')).toEqual(new Uint8Array([1, 2]))
      expect(await loaded.read('SKILL.md')).toBe(loaded.text)
    })

    it('are loaded by URI, known or not', async () => {
      await using client = await connect(createServer(info).add(pdf()), { version })
      expect((await client.skill('skill://pdf-processing/SKILL.md')).name).toBe('pdf-processing')
      await expect(client.skill('skill://none/SKILL.md')).rejects.toMatchObject({ kind: 'invalid_params' })
    })

    it('are resources like any other', async () => {
      await using client = await connect(createServer(info).add(pdf()), { version })
      expect((await client.resources()).map(({ uri, name, mimeType }) => ({ uri, name, mimeType }))).toEqual([
        { uri: 'skill://pdf-processing/SKILL.md', name: 'pdf-processing', mimeType: 'text/markdown' },
        { uri: 'skill://pdf-processing/references/FORMS.md', name: 'FORMS.md', mimeType: 'text/markdown' },
        { uri: 'skill://pdf-processing/logo.png', name: 'logo.png', mimeType: 'image/png' },
      ])
      expect(await client.request('resources/directory/read', { uri: 'skill://pdf-processing' })).toMatchObject({
        resources: [
          { name: 'pdf-processing' },
          { uri: 'skill://pdf-processing/references', mimeType: 'inode/directory' },
          { name: 'logo.png' },
        ],
      })
    })

    it('C2 are not asked for where they were not declared', async () => {
      await using client = await connect(createServer(info).add(tool('t', {}, () => '')), { version })
      await expect(client.skills()).rejects.toMatchObject({ kind: 'capability_not_supported' })
      await expect(client.skill('skill://a/SKILL.md')).rejects.toMatchObject({ kind: 'capability_not_supported' })
      await expect(client.request('skills/list')).rejects.toMatchObject({
        kind: expect.stringMatching(/method_not_found|capability_not_supported/),
      })
    })

    it('change with the server', async () => {
      const server = createServer(info).add(pdf())
      await using client = await connect(server, { version })
      const before = await client.skill('skill://pdf-processing/SKILL.md')
      server.remove('skill', before.uri)
      server.add(
        skill(
          'pdf-processing',
          { description: 'Another', files: { 'references/FORMS.md': '# Other', 'new.md': '' } },
          '',
        ),
      )
      await expect(before.read('references/FORMS.md')).rejects.toMatchObject({
        kind: 'invalid_answer',
        data: { check: 'digest' },
      })
      await expect(before.read('new.md')).rejects.toMatchObject({ kind: 'invalid_answer', data: { check: 'files' } })
      expect(await (await client.skill(before.uri)).read('references/FORMS.md')).toBe('# Other')
    })
  })
})

describe('E3 a skill that is not what its entry says', () => {
  const URI = 'skill://pdf/SKILL.md'
  const TEXT = '---\nname: pdf\ndescription: Fills forms\n---\n\nBody.\n'
  const digest = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`
  const file = (uri: string, text: string) => ({ uri, digest: digest(text), size: Buffer.byteLength(text) })
  const entryOf = (text: string, more: object = {}) => ({
    uri: URI,
    frontmatter: { name: 'pdf', description: 'Fills forms' },
    resources: [file(URI, text), file('skill://pdf/a.md', 'a')],
    ...more,
  })
  const serving = async (entry: unknown, contents: unknown) => {
    const server = rawServer({
      capabilities: { resources: {}, extensions: { [SKILLS]: {} } },
      answers: {
        'skills/list': () => ({ skills: [entry] }),
        'skills/get': () => ({ skill: entry }),
        'resources/read': ({ uri }) => ({
          contents: typeof contents === 'string' ? [{ uri, mimeType: 'text/markdown', text: contents }] : contents,
        }),
      },
    })
    return { server, client: await connectTo(server.link, { version: '2025-11-25', keepAlive: false }) }
  }

  it.each<[string, unknown, unknown, string]>([
    ['another body', entryOf(TEXT), TEXT.replace('Body.', 'Evil!'), 'digest'],
    ['more bytes', entryOf(TEXT), `${TEXT}more`, 'size'],
    ['another description', entryOf(TEXT.replace('Fills', 'Steals')), TEXT.replace('Fills', 'Steals'), 'frontmatter'],
    [
      'a further field',
      entryOf(TEXT.replace('\n---', '\nallowed-tools: Bash\n---')),
      TEXT.replace('\n---', '\nallowed-tools: Bash\n---'),
      'frontmatter',
    ],
    [
      'a missing field',
      entryOf(TEXT, { frontmatter: { name: 'pdf', description: 'Fills forms', license: 'MIT' } }),
      TEXT,
      'frontmatter',
    ],
    ['no frontmatter', entryOf('Body.'), 'Body.', 'frontmatter'],
    ['a frontmatter nobody can read', entryOf(TEXT.replace('pdf', '*x')), TEXT.replace('pdf', '*x'), 'frontmatter'],
    [
      'another frontmatter, dynamic or not',
      entryOf(TEXT, { resources: 'dynamic' }),
      TEXT.replace('Fills', 'Steals'),
      'frontmatter',
    ],
  ])('is not loaded: %s', async (_, entry, contents, check) => {
    const { server, client } = await serving(entry, contents)
    const [listed] = await client.skills()
    await expect(client.skill(listed as SkillEntry)).rejects.toMatchObject({
      kind: 'invalid_answer',
      data: { uri: URI, check },
    })
    expect(server.of('resources/read')).toHaveLength(1)
    await client.close()
  })

  it.each<[string, unknown, unknown]>([
    ['no contents', entryOf(TEXT), undefined],
    [
      'contents of others',
      entryOf(TEXT),
      [
        { uri: 'a:b', text: TEXT },
        { uri: 'c:d', text: TEXT },
      ],
    ],
    ['bytes that are none', entryOf(TEXT), [{ uri: URI, blob: '*' }]],
    ['an entry without files', entryOf(TEXT, { resources: undefined }), TEXT],
    ['an entry of something else', entryOf(TEXT, { uri: 'skill://x/SKILL.md' }), TEXT],
    ['no entry', undefined, TEXT],
  ])('is not loaded, nor is an answer that is none: %s', async (_, entry, contents) => {
    const { client } = await serving(entry, contents)
    await expect(client.skill(URI)).rejects.toMatchObject({ kind: 'invalid_answer' })
    await client.close()
  })

  it('is loaded when it is sent as bytes', async () => {
    const { client } = await serving(entryOf(TEXT), [{ uri: URI, blob: btoa(TEXT) }])
    expect(await client.skill(URI)).toMatchObject({ text: TEXT, instructions: '\nBody.\n' })
    await client.close()
  })

  it('never makes a client read what is no file of it', async () => {
    const { server, client } = await serving(entryOf(TEXT), TEXT)
    const loaded = await client.skill(URI)
    for (const path of ['b.md', '../other/SKILL.md', '/etc/passwd', ''])
      await expect(loaded.read(path)).rejects.toMatchObject({ data: { check: 'files' } })
    expect(server.of('resources/read')).toHaveLength(1)
    await client.close()
  })

  it('is read without proof when it is dynamic, within its folder and its limit', async () => {
    const big = 'x'.repeat(3 * 1024 * 1024)
    const server = rawServer({
      capabilities: { resources: {}, extensions: { [SKILLS]: {} } },
      answers: {
        'skills/get': () => ({ skill: entryOf(TEXT, { resources: 'dynamic' }) }),
        'resources/read': ({ uri }) => ({ contents: [{ uri, text: uri === URI ? TEXT : big }] }),
      },
    })
    const client = await connectTo(server.link, { version: '2025-11-25', keepAlive: false })
    const loaded = await client.skill(URI)
    expect(loaded.files).toBeUndefined()
    for (let times = 0; times < 5; times++) expect(await loaded.read('a b.md')).toBe(big)
    expect(server.of('resources/read').at(-1)?.params?.['uri']).toBe('skill://pdf/a%20b.md')
    await expect(loaded.read('a b.md')).rejects.toMatchObject({ data: { check: 'size' } })
    await client.close()
  })
})
