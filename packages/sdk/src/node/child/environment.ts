/** The environment of a child process: what programs need to run, and no secrets of this process. */

const INHERITED: Readonly<Record<'posix' | 'win32', readonly string[]>> = {
  posix: ['HOME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'TZ', 'USER'],
  win32: [
    'APPDATA',
    'COMSPEC',
    'HOMEDRIVE',
    'HOMEPATH',
    'LOCALAPPDATA',
    'PATH',
    'PATHEXT',
    'PROCESSOR_ARCHITECTURE',
    'PROGRAMDATA',
    'PROGRAMFILES',
    'PROGRAMFILES(X86)',
    'SYSTEMDRIVE',
    'SYSTEMROOT',
    'TEMP',
    'TMP',
    'USERNAME',
    'USERPROFILE',
    'WINDIR',
  ],
}

export type Environment = Record<string, string | undefined>

export interface EnvironmentOptions {
  /** Added to the inherited variables. `undefined` removes a variable. */
  env?: Environment
  /** Whether all variables are inherited. Default: only those that programs need, such as PATH and HOME. */
  inheritEnv?: boolean
}

export function childEnvironment(
  { env = {}, inheritEnv = false }: EnvironmentOptions,
  own: Environment,
  platform: string,
): Record<string, string> {
  const windows = platform === 'win32'
  const wanted = new Set(INHERITED[windows ? 'win32' : 'posix'])
  const made = new Map<string, string>()
  for (const [name, value] of Object.entries(own)) {
    // On Windows `Path` and `PATH` are the same variable.
    if (value === undefined || !(inheritEnv || wanted.has(windows ? name.toUpperCase() : name))) continue
    // Exported shell functions are code, not settings.
    if (!inheritEnv && value.startsWith('()')) continue
    made.set(name, value)
  }
  for (const [name, value] of Object.entries(env)) {
    if (windows)
      for (const known of [...made.keys()]) if (known.toUpperCase() === name.toUpperCase()) made.delete(known)
    if (value === undefined) made.delete(name)
    else made.set(name, String(value))
  }
  return Object.fromEntries(made)
}
