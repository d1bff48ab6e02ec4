/** Reads a configuration from a file. */
import { readFile, stat } from 'node:fs/promises'
import type { ConfigFormat } from './documents/document.ts'
import { type Override, type ParsedConfig, parseConfig } from './parse.ts'
import { ConfigError } from './problem.ts'
import type { Environment } from './shapes/variables.ts'

export interface ReadOptions {
  /** Default: the format of the file's ending. */
  readonly format?: ConfigFormat
  /** Default: the environment of this process. */
  readonly env?: Environment
  readonly override?: Override
}

const MAX_BYTES = 4 * 1024 * 1024
const FAILURES: Readonly<Record<string, readonly [message: string, hint: string]>> = {
  ENOENT: ['There is no such file.', 'Check the path, or create it with { "mcpServers": {} }.'],
  ENOTDIR: ['There is no such file.', 'Check the path.'],
  EISDIR: ['This is a folder.', 'Name a file in it.'],
  EACCES: ['The file may not be read.', 'Give the user that runs the gateway the right to read it.'],
  EPERM: ['The file may not be read.', 'Give the user that runs the gateway the right to read it.'],
}

/** Rejects with a `ConfigError` that names every problem, even if there is no such file. */
export async function readConfig(path: string, options: ReadOptions = {}): Promise<ParsedConfig> {
  return parseConfig(await readText(path), { env: process.env, ...options, file: path })
}

export async function readText(path: string): Promise<string> {
  const bytes = await readBytes(path)
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff))
    throw failure(path, 'The file is in UTF-16.', 'Save it as UTF-8.')
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw failure(path, 'The file is not in UTF-8.', 'Save it as UTF-8.')
  }
}

async function readBytes(path: string): Promise<Uint8Array> {
  try {
    const { size } = await stat(path)
    if (size <= MAX_BYTES) return await readFile(path)
  } catch (error) {
    const code = String((error as NodeJS.ErrnoException).code)
    const [message, hint] = FAILURES[code] ?? [
      `The file cannot be read (${code}).`,
      'Check the path and the file system.',
    ]
    throw failure(path, message, hint)
  }
  throw failure(path, 'The file is larger than 4 MB.', 'Check that it is the right file.')
}

function failure(file: string, message: string, hint: string): ConfigError {
  return new ConfigError([{ file, line: undefined, column: undefined, path: '', message, hint }])
}
