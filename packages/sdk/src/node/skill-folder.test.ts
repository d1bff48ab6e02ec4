import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createServer } from '../server/index.ts'
import { connect } from '../testing/index.ts'
import { skillsFrom } from './skill-folder.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'parley-skills-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

async function write(files: Record<string, string | Uint8Array>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content)
  }
}

const manifest = (name: string): string => `---\nname: ${name}\ndescription: Does ${name}\n---\n\n# ${name}\n`
const info = { name: 'test', version: '1' }

describe('F2 skills in folders', () => {
  it('are found in a folder, or in the folders of a folder', async () => {
    await write({
      'b/SKILL.md': manifest('b'),
      'a/SKILL.md': manifest('a'),
      'none/README.md': '',
      'file.md': '',
      '.hidden/SKILL.md': manifest('hidden'),
    })
    expect((await skillsFrom(root)).map(({ key }) => key)).toEqual(['skill://a/SKILL.md', 'skill://b/SKILL.md'])
    expect((await skillsFrom(join(root, 'b'), { prefix: 'acme' })).map(({ key }) => key)).toEqual([
      'skill://acme/b/SKILL.md',
    ])
  })

  it('have all their files, but none that is hidden or elsewhere', async () => {
    await write({
      'a/SKILL.md': manifest('a'),
      'a/references/deep/x.md': 'é',
      'a/logo.png': new Uint8Array([1, 255]),
      'a/.env': 'SECRET',
      'a/.git/config': 'x',
      secret: 'SECRET',
    })
    await symlink(join(root, 'secret'), join(root, 'a/link.md'))
    await using client = await connect(createServer(info).add(...(await skillsFrom(root))), { version: '2025-11-25' })
    const skill = await client.skill('skill://a/SKILL.md')
    expect(skill.files).toEqual(['SKILL.md', 'logo.png', 'references/deep/x.md'])
    expect(await skill.read('references/deep/x.md')).toBe('é')
    expect(await skill.read('logo.png')).toEqual(new Uint8Array([1, 255]))
    expect(skill.text).toBe(manifest('a'))
  })

  it('are read again each time when they are dynamic', async () => {
    await write({ 'a/SKILL.md': manifest('a'), 'a/x.md': 'one' })
    await using client = await connect(createServer(info).add(...(await skillsFrom(root, { dynamic: true }))), {
      version: '2025-11-25',
    })
    const skill = await client.skill('skill://a/SKILL.md')
    expect(await skill.read('x.md')).toBe('one')
    await write({ 'a/x.md': 'two' })
    expect(await skill.read('x.md')).toBe('two')
  })

  it('E2 are refused with the folder that is wrong', async () => {
    await expect(skillsFrom(join(root, 'missing'))).rejects.toThrow(/ENOENT/)
    await expect(skillsFrom(root)).rejects.toThrow(/There is no SKILL.md in/)
    await write({ 'a/SKILL.md': manifest('other') })
    await expect(skillsFrom(root)).rejects.toThrow(/\/a: the skill is named "other", its folder "a"/)
    await write({ 'a/SKILL.md': '---\nname: a\n---\n' })
    await expect(skillsFrom(root)).rejects.toThrow(/\/a: Invalid skill: "description" is missing/)
  })
})
