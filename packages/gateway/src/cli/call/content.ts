/**
 * Prints the result of a call: text as it is, everything else as one line. Writes binary content to a file if asked.
 */
import { constants } from 'node:fs'
import { access, writeFile } from 'node:fs/promises'
import { dirname, extname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { ContentBlock } from 'parley-mcp'
import type { CallOutcome } from 'parley-mcp/client'
import { failed } from '../failure.ts'
import { bytes, oneLine, printable } from '../terminal/text.ts'

/** The content as text. Leaves out text that repeats the structured content. */
export function printed({ content, structured }: CallOutcome, terminal: boolean): string {
  const shown = content
    .filter((block) => !(block.type === 'text' && structured !== undefined && saysTheSame(block.text, structured)))
    .map(blockText)
  if (structured !== undefined) shown.push(JSON.stringify(structured, null, 2))
  const text = shown.join('\n')
  return text === '' ? '' : `${terminal ? printable(text) : text}\n`
}

/** Servers repeat structured content as text for older clients. */
function saysTheSame(text: string, structured: unknown): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(text), structured)
  } catch {
    return false
  }
}

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'image':
    case 'audio':
      return `[${block.type}, ${oneLine(block.mimeType, 60)}, ${bytes(sizeOf(block.data))}]`
    case 'resource_link':
      return `[link to ${oneLine(block.uri, 200)}${[block.title ?? block.name, block.mimeType].map((each) => (each === undefined ? '' : `, ${oneLine(each, 60)}`)).join('')}]`
    case 'resource': {
      const { resource } = block
      const type = resource.mimeType === undefined ? '' : `, ${oneLine(resource.mimeType, 60)}`
      if ('blob' in resource)
        return `[resource ${oneLine(resource.uri, 200)}${type}, ${bytes(sizeOf(String(resource.blob)))}]`
      return `[resource ${oneLine(resource.uri, 200)}${type}]\n${resource.text}`
    }
    default:
      return `[content of an unknown type: ${oneLine(JSON.stringify(block), 200)}]`
  }
}

function sizeOf(base64: string): number {
  return Buffer.byteLength(base64, 'base64')
}

function binaryOf(block: ContentBlock): string | undefined {
  if (block.type === 'image' || block.type === 'audio') return block.data
  return block.type === 'resource' && 'blob' in block.resource ? String(block.resource.blob) : undefined
}

/** Checks the folder before the call, so that the result is not lost. */
export async function demandFolder(file: string): Promise<void> {
  const folder = dirname(file)
  const problem = await access(folder, constants.W_OK).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? 'it does not exist' : (error.code ?? error.message)),
  )
  if (problem !== undefined)
    throw failed('cannot_write', `Cannot write ${file}: the folder ${folder} is not writable: ${problem}`)
}

/** Returns the written files. The second and later files get a number: `picture-2.png`. */
export async function writeBinaries({ content }: CallOutcome, file: string): Promise<{ file: string; size: number }[]> {
  const found = content.map(binaryOf).filter((data) => data !== undefined)
  if (found.length === 0)
    throw failed('no_binary_content', 'The result has no image, audio or other binary content to write')
  const written: { file: string; size: number }[] = []
  for (const [at, data] of found.entries()) {
    const decoded = Buffer.from(data, 'base64')
    const name = at === 0 ? file : numbered(file, at + 1)
    try {
      await writeFile(name, decoded)
    } catch (error) {
      throw failed('cannot_write', `Cannot write ${name}: ${(error as Error).message}`)
    }
    written.push({ file: name, size: decoded.length })
  }
  return written
}

function numbered(file: string, number: number): string {
  const ending = extname(file)
  return `${file.slice(0, file.length - ending.length)}-${number}${ending}`
}
