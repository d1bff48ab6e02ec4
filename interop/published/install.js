/** Installs a published server into a folder of its own, once, without running any of its scripts. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export const CACHE = fileURLToPath(new URL('../../.cache/interop-published', import.meta.url))
const PATIENCE = 300_000
const FLAGS = [
  '--ignore-scripts',
  '--omit=dev',
  '--no-package-lock',
  '--no-audit',
  '--no-fund',
  '--prefer-offline',
  '--loglevel=error',
]

const folderOf = ({ name, version }) => join(CACHE, `${name.replace('@', '').replace('/', '+')}@${version}`)

/** Gives the file to run. `before`: the day that decides which versions its dependencies have. */
export async function install(server, before) {
  const folder = folderOf(server)
  if (!existsSync(folder)) await fill(folder, server, before)
  const own = join(folder, 'node_modules', server.name)
  return join(own, programOf(JSON.parse(await readFile(join(own, 'package.json'), 'utf8')), server))
}

/** The folder has its name only when all of it is there. */
async function fill(folder, { name, version }, before) {
  const unfinished = `${folder}.${process.pid}`
  await mkdir(unfinished, { recursive: true })
  try {
    await writeFile(join(unfinished, 'package.json'), '{ "private": true }\n')
    await promisify(execFile)('npm', ['install', ...FLAGS, `--before=${before}`, `${name}@${version}`], {
      cwd: unfinished,
      timeout: PATIENCE,
    })
    await rename(unfinished, folder)
  } catch (error) {
    const [line] = String(error.stderr ?? '').match(/(?<=npm error )(?!code).*/) ?? [error.message]
    throw new Error(`it cannot be installed: ${line.trim()}`, { cause: error })
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

/** What `npx NAME` would run. */
function programOf({ bin, main }, { name }) {
  const short = name.split('/').at(-1)
  if (typeof bin === 'string') return bin
  const file = bin?.[short] ?? Object.values(bin ?? {})[0] ?? main
  if (file === undefined) throw new Error('it has no program')
  return file
}
