/** The file of receipts on disk. It is opened for each write, so a file that was moved away is begun again. */
import { type FileHandle, open, stat } from 'node:fs/promises'
import { TAIL_BYTES, type Tail } from './file-end.ts'

/** Stores receipts. */
export interface AuditStorage {
  tail(): Promise<Tail>
  /** Writes the whole text. If it throws, a part may be written. */
  append(text: string): Promise<void>
  /** Resolves when the written receipts survive a loss of power. */
  sync(): Promise<void>
}

/** The file cannot be used. The message says what to do. */
export class AuditFileError extends Error {
  override readonly name: string = 'AuditFileError'
}

const OWNER_ONLY = 0o600

export class AuditFile implements AuditStorage {
  readonly path: string

  constructor(path: string) {
    this.path = path
  }

  /** Throws if the file cannot be written. Called before the gateway starts. */
  async demandWritable(): Promise<void> {
    try {
      // Opening a pipe for writing may block forever.
      const found = await stat(this.path).catch(ignoreAbsence)
      if (found !== undefined && !found.isFile())
        throw new AuditFileError(`The audit file ${this.path} is not a file; name another one`)
      await this.#with('a', async () => {})
    } catch (cause) {
      throw cause instanceof AuditFileError ? cause : whyNot(this.path, cause)
    }
  }

  async tail(): Promise<Tail> {
    const found = await stat(this.path).catch(ignoreAbsence)
    if (found === undefined) return { bytes: new Uint8Array(), whole: true }
    return await this.#with('r', async (handle) => {
      const { size } = await handle.stat()
      const length = Math.min(size, TAIL_BYTES)
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length)
      return { bytes: buffer.subarray(0, bytesRead), whole: length === size }
    })
  }

  append(text: string): Promise<void> {
    return this.#with('a', (handle) => handle.writeFile(text))
  }

  sync(): Promise<void> {
    return this.#with('a', (handle) => handle.datasync())
  }

  async #with<T>(flags: 'a' | 'r', work: (handle: FileHandle) => Promise<T>): Promise<T> {
    const handle = await open(this.path, flags, OWNER_ONLY)
    try {
      return await work(handle)
    } finally {
      await handle.close()
    }
  }
}

/** The error code of the system. */
export function reasonOf(cause: unknown): string {
  return (cause as NodeJS.ErrnoException).code ?? String(cause)
}

function ignoreAbsence(cause: NodeJS.ErrnoException): undefined {
  if (cause.code !== 'ENOENT') throw cause
}

function whyNot(path: string, cause: unknown): AuditFileError {
  const code = reasonOf(cause)
  if (code === 'ENOENT')
    return new AuditFileError(`The folder of the audit file ${path} is not there; make it, or name another file`, {
      cause,
    })
  return new AuditFileError(
    `The audit file ${path} cannot be written (${code}); make it writable, or name another one`,
    { cause },
  )
}
