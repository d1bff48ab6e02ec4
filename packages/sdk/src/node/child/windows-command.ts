/** Finds the file that Windows runs for a command, and quotes arguments for batch scripts. Pure, for tests anywhere. */
import { ParleyError } from '../../errors/index.ts'

export interface WindowsCommand {
  file: string
  args: readonly string[]
  /** The arguments already are a command line. */
  verbatim: boolean
}

export interface WindowsLookup {
  /** Variables of the process to be started, whatever case their names have. */
  env: Readonly<Record<string, string | undefined>>
  cwd: string
  exists: (path: string) => boolean
}

/** Undefined if there is no such command. The current folder is not searched: such a command needs `.\`. */
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
 * Quotes one argument for a batch script. Always in quotes: the script passes it on with `%*`, where the shell reads it
 * again, and inside quotes special characters of the shell have no meaning. A quote is doubled: the shell and the
 * program both read that as one quote. Backslashes before a quote are doubled, as programs expect.
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
 * The shell replaces `%NAME%` even in quotes. An empty substring of an existing variable after each `%` prevents that.
 */
function hidePercents(text: string): string {
  return text.replaceAll('%', '%%cd:~,%')
}
