/** Finds the file a command stands for, as the system would. */
import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join, resolve } from 'node:path'

export interface Lookup {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd?: string | undefined
}

/** The file; undefined when there is none that can be run. */
export async function programFile(command: string, { env, cwd = process.cwd() }: Lookup): Promise<string | undefined> {
  const named = isAbsolute(command) || /[\\/]/.test(command)
  const folders = named ? [''] : (variable(env, 'PATH') ?? '').split(delimiter).filter((folder) => folder !== '')
  const endings =
    process.platform === 'win32' ? ['', ...(variable(env, 'PATHEXT') ?? '.EXE;.CMD;.BAT').split(';')] : ['']
  for (const folder of folders) {
    for (const ending of endings) {
      const file = named ? resolve(cwd, `${command}${ending}`) : join(folder, `${command}${ending}`)
      if (await isProgram(file)) return file
    }
  }
  return undefined
}

function variable(env: Lookup['env'], name: string): string | undefined {
  return Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1]
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK)
    return (await stat(file)).isFile()
  } catch {
    return false
  }
}
