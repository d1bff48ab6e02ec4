/** Explains why a WebSocket was closed. */
import { ParleyError } from '../errors/index.ts'

export interface SocketEnd {
  readonly code: number
  readonly reason: string
}

/** Normal ends: done, going away, and no code. */
const CLEAN: ReadonlySet<number> = new Set([1000, 1001, 1005])

const MEANINGS: Readonly<Record<number, string>> = {
  1002: 'the protocol was broken',
  1003: 'only text is taken',
  1006: 'the connection broke off',
  1007: 'a message was not valid UTF-8',
  1008: 'a rule of the other side was broken',
  1009: 'a message was too large for the other side',
  1011: 'the other side failed',
  1012: 'the other side restarts',
  1013: 'the other side is overloaded',
}

/** Undefined for a clean end. */
export function reasonOf({ code, reason }: SocketEnd, socketError: unknown): ParleyError | undefined {
  if (CLEAN.has(code)) return undefined
  const meaning = MEANINGS[code > 4000 ? code - 3000 : code]
  const said = [meaning, reason, socketError instanceof Error ? socketError.message : socketError].filter(
    (text) => typeof text === 'string' && text !== '',
  )
  return new ParleyError(code === 1009 ? 'message_too_large' : 'connection_closed', {
    message: `The WebSocket was closed with code ${code}${said.length === 0 ? '' : `: ${said.join('; ')}`}`,
    data: { code },
    ...(socketError === undefined ? {} : { cause: socketError }),
  })
}

/** The error of an `error` event. Browsers have none; other runtimes attach an error or a message. */
export function errorIn(event: object): unknown {
  const { error, message } = event as { error?: unknown; message?: unknown }
  return error ?? (typeof message === 'string' && message !== '' ? message : undefined)
}
