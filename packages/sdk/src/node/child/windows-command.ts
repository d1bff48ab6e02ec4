/**
 * Which file Windows runs for a command, and how its arguments are written when that file is a batch script. Pure, so
 * that it can be tested anywhere.
 */
import { ParleyError } from '../../errors/index.ts'

export interface WindowsCommand {
  file: string
  args: readonly string[]
  /** The arguments are a command line already. */
  verbatim: boolean
}

export interface WindowsLookup {
  /** Variables of the process to be started, whatever case their names have. */
  env: Readonly<Record<string, string | undefined>>
  cwd: string
  exists: (path: string) => boolean
}

/**
 * Undefined when there is no such command. The current folder is not searched: what lies there must be named with `.\`.
 */
export function windowsCommand(
  command: string,
  args: readonly string[],
  lookup: WindowsLookup,
): WindowsCommand | undefined {
  const file = findFile(command, lookup)
  if (file === undefined) return undefined
  if (!/\.(cmd|bat)$/i.test(file)) return { file, args, verbatim: false }
  const shell = variable(lookup.env, 'COMSPEC') ?? 'cmd.exe'
  // /d: no AutoRun; /e:on: the substring trick below works; /v:off: `!` is only a character; /s: only the outermost
  // quotes are taken off.
  const line = [quoteScript(file), ...args.map(quoteForBatch)].join(' ')
  return { file: shell, args: ['/d', '/e:on', '/v:off', '/s', '/c', `"${line}"`], verbatim: true }
}

function findFile(command: string, { env, cwd, exists }: WindowsLookup): string | undefined {
  const extensions = (variable(env, 'PATHEXT') ?? '.COM;.EXE;.BAT;.CMD')
    .split(';')
    .filter((extension) => extension !== '')
  const hasExtension = /\.[^.\\/]+$/.test(command)
  const names = hasExtension ? [command, ...withExtensions(command, extensions)] : withExtensions(command, extensions)
  for (const folder of foldersFor(command, cwd, variable(env, 'PATH') ?? '')) {
    const found = names.map((name) => `${folder}${name}`).find(exists)
    if (found !== undefined) return found
  }
  return undefined
}

function withExtensions(command: string, extensions: readonly string[]): string[] {
  return extensions.map((extension) => `${command}${extension.toLowerCase()}`)
}

function foldersFor(command: string, cwd: string, path: string): string[] {
  if (/^([a-z]:)?[\\/]/i.test(command)) return ['']
  if (/[\\/]/.test(command)) return [withSeparator(cwd)]
  const folders = path.split(';').map((folder) => folder.trim().replace(/^"(.*)"$/, '$1'))
  return folders.filter((folder) => folder !== '').map(withSeparator)
}

function withSeparator(folder: string): string {
  return /[\\/]$/.test(folder) ? folder : `${folder}\\`
}

function variable(env: WindowsLookup['env'], name: string): string | undefined {
  const key = Object.keys(env).find((each) => each.toUpperCase() === name)
  return key === undefined ? undefined : env[key]
}

function quoteScript(file: string): string {
  // A file name cannot have quotes, but it can have a percent sign.
  return `"${hidePercents(file)}"`
}

/**
 * One argument as a batch script reads it. Always in quotes, because the script hands it on with `%*` and it is read
 * once more there: inside quotes the shell's own characters mean nothing. A quote is doubled, which both the shell and
 * the program take for one quote inside the quotes, and backslashes before a quote are doubled, as programs expect.
 */
export function quoteForBatch(argument: string): string {
  if (/[\0\r\n]/.test(argument)) {
    throw new ParleyError('transport_error', {
      message: 'An argument of a batch script must not contain a line break or a null character',
    })
  }
  const escaped = argument.replace(/(\\*)"/g, '$1$1""').replace(/(\\+)$/, '$1$1')
  return `"${hidePercents(escaped)}"`
}

/**
 * Quotes do not keep the shell from replacing `%NAME%`; an empty piece of a variable that is always there, put behind
 * each percent sign, does.
 */
function hidePercents(text: string): string {
  return text.replaceAll('%', '%%cd:~,%')
}
