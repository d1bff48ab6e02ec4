/** Reads skills from folders with a SKILL.md. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type SkillDefinition, type SkillPlace, type SkillSource, skill } from '../server/index.ts'

export type SkillFolderOptions = Omit<SkillPlace, 'files'>

const MANIFEST = 'SKILL.md'

/** More than a skill may have. Stops early if the folder is, for example, the root of a disk. */
const MAX_FILES = 1000

/**
 * The skill in a folder. If the folder has no SKILL.md, the skills in its subfolders. SKILL.md is read at once, other
 * files on first use, and files of dynamic skills at every read. Hidden files and links are left out.
 */
export async function skillsFrom(folder: string, options: SkillFolderOptions = {}): Promise<SkillDefinition[]> {
  const root = resolve(folder)
  const own = await skillIn(root, options)
  if (own !== undefined) return [own]
  const entries = await readdir(root, { withFileTypes: true })
  const folders = entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => join(root, name))
  const found = await Promise.all(folders.sort().map((each) => skillIn(each, options)))
  const skills = found.filter((each) => each !== undefined)
  if (skills.length === 0) throw new Error(`There is no ${MANIFEST} in ${root} or in a folder of it`)
  return skills
}

async function skillIn(folder: string, options: SkillFolderOptions): Promise<SkillDefinition | undefined> {
  const manifest = join(folder, MANIFEST)
  if (!(await isFile(manifest))) return undefined
  const [text, paths] = await Promise.all([readFile(manifest, 'utf8'), pathsIn(folder)])
  const files = Object.fromEntries(
    paths.map((path): [string, SkillSource] => [path, () => readFile(join(folder, path))]),
  )
  try {
    const made = skill(text, { ...options, files })
    checkName(folder, made)
    return made
  } catch (error) {
    throw error instanceof Error ? new TypeError(`${folder}: ${error.message}`, { cause: error }) : error
  }
}

/** The format requires that the skill has the name of its folder. */
function checkName(folder: string, { key }: SkillDefinition): void {
  const [name, own] = [key.split('/').at(-2), folder.split(/[\\/]/).at(-1)]
  if (name !== own) throw new TypeError(`the skill is named ${JSON.stringify(name)}, its folder ${JSON.stringify(own)}`)
}

/** The paths of all files except SKILL.md, with `/` between folders. */
async function pathsIn(root: string): Promise<string[]> {
  const paths: string[] = []
  const open = ['']
  for (let folder = open.shift(); folder !== undefined; folder = open.shift()) {
    const entries = await readdir(join(root, folder), { withFileTypes: true })
    for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.name.startsWith('.') || path === MANIFEST) continue
      if (entry.isDirectory()) open.push(path)
      else if (entry.isFile()) paths.push(path)
    }
    if (paths.length > MAX_FILES) throw new RangeError(`${root} has more than ${MAX_FILES} files, which is no skill`)
  }
  return paths
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || (error as NodeJS.ErrnoException).code === 'ENOTDIR')
      return false
    throw error
  }
}
