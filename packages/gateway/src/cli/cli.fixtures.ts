/** Command lines run in this process, on streams of the test. */
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { type CliIo, type Reader, runCli } from './index.ts'

export interface RunOptions {
  stdin?: string
  /** Somebody sits at a terminal. */
  tty?: boolean
  env?: Record<string, string>
  /** How wide the terminal says it is. */
  columns?: number
  /** How the program is called. */
  program?: string
  /** Called with what was written to standard output so far. */
  onStdout?: (text: string, controls: Controls) => void
  /** Called with what was written to standard error so far. */
  onStderr?: (text: string, controls: Controls) => void
}

export interface Controls {
  type(text: string): void
  interrupt(): void
}

export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

export async function parley(
  line: readonly string[],
  { stdin, tty = false, env = {}, columns, program = 'parley', onStdout, onStderr }: RunOptions = {},
): Promise<Ran> {
  const input = new PassThrough()
  if (stdin !== undefined) input.end(stdin)
  let [out, err] = ['', '']
  const interrupts = new Set<() => void>()
  const controls: Controls = {
    type: (text) => void input.write(text),
    interrupt: () => interrupts.forEach((each) => void each()),
  }
  const io: CliIo = {
    stdout: {
      isTTY: tty,
      columns,
      write: (text) => {
        out += text
        onStdout?.(out, controls)
      },
    },
    stderr: {
      isTTY: tty,
      columns,
      write: (text) => {
        err += text
        onStderr?.(err, controls)
      },
    },
    stdin: Object.assign(input, { isTTY: tty }) as unknown as Reader,
    env,
    onInterrupt: (listener) => {
      interrupts.add(listener)
      return () => interrupts.delete(listener)
    },
  }
  const code = await runCli(line, { io, version: '9.8.7', program })
  return { code, out, err }
}

export const plainServer: string = fileURLToPath(new URL('../../test/fixtures/plain-server.js', import.meta.url))

/** After `--`. */
export const plain = (...habits: string[]): string[] => ['--', process.execPath, plainServer, ...habits]
