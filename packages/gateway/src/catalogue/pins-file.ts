/** The file in which pins of tool definitions outlive the gateway. */
import { randomUUID } from 'node:crypto'
import { open, readFile, rename, rm } from 'node:fs/promises'

/** By server, by tool: the digest of the definition. */
export type Pins = Map<string, Map<string, string>>

/** The file cannot be used. The message says what to do. */
export class PinsFileError extends Error {
  override readonly name: string = 'PinsFileError'
}

const FORMAT = 1
const DIGEST = /^sha256-[0-9a-f]{64}$/

/** No pins if there is no file. An invalid file is left unchanged. */
export async function readPins(file: string): Promise<Pins> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return new Map()
    throw new PinsFileError(
      `The pins file ${file} cannot be read (${reason(cause)}); make it readable, or name another one`,
      { cause },
    )
  }
  return parsePins(file, text)
}

/** Replaces the file in one step. A reader sees the old file or the new one. */
export async function writePins(file: string, pins: Pins): Promise<void> {
  const servers = Object.fromEntries([...pins].map(([server, tools]) => [server, Object.fromEntries(tools)]))
  const temporary = `${file}.${randomUUID()}.tmp`
  try {
    const handle = await open(temporary, 'wx', 0o600)
    try {
      await handle.writeFile(`${JSON.stringify({ format: FORMAT, servers }, null, 2)}\n`)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, file)
  } catch (cause) {
    await rm(temporary, { force: true }).catch(() => {})
    throw new PinsFileError(
      `The pins file ${file} cannot be written (${reason(cause)}); pins made since are lost when the gateway stops`,
      { cause },
    )
  }
}

function parsePins(file: string, text: string): Pins {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (cause) {
    throw corrupt(file, 'it is not JSON', cause)
  }
  if (!isRecord(parsed) || parsed['format'] !== FORMAT || !isRecord(parsed['servers']))
    throw corrupt(file, `it is not { "format": ${FORMAT}, "servers": … }`)
  const pins: Pins = new Map()
  for (const [server, tools] of Object.entries(parsed['servers'])) {
    if (!isRecord(tools)) throw corrupt(file, `the entry of server ${JSON.stringify(server)} is not an object`)
    const digests = Object.entries(tools).map(([tool, digest]): [string, string] => {
      if (typeof digest === 'string' && DIGEST.test(digest)) return [tool, digest]
      throw corrupt(
        file,
        `the pin of tool ${JSON.stringify(tool)} of server ${JSON.stringify(server)} is not "sha256-" and 64 hexadecimal digits`,
      )
    })
    pins.set(server, new Map(digests))
  }
  return pins
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function corrupt(file: string, what: string, cause?: unknown): PinsFileError {
  return new PinsFileError(
    `The pins file ${file} cannot be used: ${what}. It was left as it is; mend it, or delete it to pin every tool anew`,
    { cause },
  )
}

function reason(cause: unknown): string {
  return (cause as NodeJS.ErrnoException).code ?? String(cause)
}
