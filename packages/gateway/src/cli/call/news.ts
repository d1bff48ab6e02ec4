/** What is heard while a call runs, on standard error: a line each, for people or as JSON. */
import type { LogMessageParams } from 'parley-mcp'
import type { Progress } from 'parley-mcp/client'
import type { CliIo } from '../io.ts'
import { paint } from '../paint.ts'
import { oneLine } from '../text.ts'

export interface News {
  progress(progress: Progress): void
  log(message: LogMessageParams): void
}

export function news(io: CliIo, json: boolean): News {
  const { dim } = paint(io.stderr, io.env)
  const tell = (data: object, text: string): void =>
    void io.stderr.write(json ? `${JSON.stringify(data)}\n` : `${dim(text)}\n`)
  return {
    progress: (progress) => {
      const { progress: done, total, message } = progress
      tell(
        { progress },
        `${done}${total === undefined ? '' : `/${total}`}${message === undefined ? '' : ` ${oneLine(message, 200)}`}`,
      )
    },
    log: (log) => {
      const { level, logger, data } = log
      tell(
        { log },
        `[${level}]${logger === undefined ? '' : ` ${oneLine(logger, 60)}:`} ${oneLine(typeof data === 'string' ? data : JSON.stringify(data), 1000)}`,
      )
    },
  }
}
