/** Takes the words of `parley call` apart: the address, the tool and its arguments. */

import { isHost } from '../arguments/selected-server.ts'
import { usageError } from '../failure.ts'
import type { Reader } from '../terminal/io.ts'
import { readObject } from './json-argument.ts'

export interface CallWords {
  readonly words: readonly string[]
  readonly command: readonly string[]
  readonly config?: string
}

export interface ToolCall {
  readonly url: string | undefined
  readonly tool: string
  /** As the user wrote it. `-` stands for standard input. */
  readonly json: string | undefined
}

const formsFor = (program: string): string =>
  [`URL TOOL [JSON]`, `TOOL [JSON] -- COMMAND ARGS`, `--config F --server NAME TOOL [JSON]`]
    .map((form) => `${program} call ${form}`)
    .join(', or ')

/** `program`: how to call this program here. */
export function toolCall({ words, command, config }: CallWords, program: string): ToolCall {
  const forms = formsFor(program)
  const elsewhere = command.length > 0 || config !== undefined
  const [url, tool, json, ...more] = elsewhere ? [undefined, ...words] : words
  if (!elsewhere && url === undefined) throw usageError('No server was given', forms)
  if (!elsewhere && lacksAddress(words)) throw usageError('The address is missing', forms)
  if (tool === undefined) throw usageError('No tool was given', forms)
  if (elsewhere && words.length > 1 && /^[a-z]+:\/\//i.test(tool))
    throw usageError('Give an address, or a command or a configuration, not both', forms)
  if (more.length > 0)
    throw usageError(
      `Too many words: ${JSON.stringify(more[0])} follows the arguments`,
      `quote JSON as a whole for the shell: '{"city": "Oslo"}'`,
    )
  return { url, tool, json }
}

/** Whether the tool is in the position of the address, alone or before its arguments. */
function lacksAddress([first = '', second]: readonly string[]): boolean {
  if (first.includes('://')) return false
  return second === undefined ? !isHost(first) : second === '-' || second.trimStart().startsWith('{')
}

/** The longest message. */
const MOST_BYTES = 32 * 1024 * 1024

export async function writtenArguments(json: string | undefined, stdin: Reader): Promise<Record<string, unknown>> {
  if (json === undefined) return {}
  if (json !== '-') return readObject(json, 'The arguments')
  const text = await textOf(stdin)
  if (text.trim() === '')
    throw usageError(
      '"-" reads the arguments from standard input, but standard input is empty',
      'for a call without arguments, write {} there, or leave out "-"',
    )
  return readObject(text, 'The arguments on standard input')
}

async function textOf(stdin: Reader): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stdin) {
    const part = Buffer.from(chunk as string | Uint8Array)
    size += part.length
    if (size > MOST_BYTES) throw usageError('The arguments on standard input are longer than 32 MiB')
    chunks.push(part)
  }
  return Buffer.concat(chunks).toString('utf8')
}
