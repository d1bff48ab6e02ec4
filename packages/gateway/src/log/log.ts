/** What the gateway says of itself: one line per event on standard error, for people or for programs. */

export type LogSeverity = 'debug' | 'info' | 'warning' | 'error'

/** Facts beside the sentence; never payloads, never secrets. */
export type LogFacts = Readonly<Record<string, unknown>>

export type GatewayLog = Readonly<Record<LogSeverity, (message: string, facts?: LogFacts) => void>>

export type LogSink = (line: string) => void

const ORDER: readonly LogSeverity[] = ['debug', 'info', 'warning', 'error']
/** A server may write what it likes. */
const LONGEST = 2000

function logWith(
  least: LogSeverity | 'silent',
  write: (severity: LogSeverity, message: string, facts: LogFacts | undefined) => void,
): GatewayLog {
  const at = (severity: LogSeverity) => {
    const heard = least !== 'silent' && ORDER.indexOf(severity) >= ORDER.indexOf(least)
    return (message: string, facts?: LogFacts): void => {
      if (heard) write(severity, message.length > LONGEST ? `${message.slice(0, LONGEST)}…` : message, facts)
    }
  }
  return { debug: at('debug'), info: at('info'), warning: at('warning'), error: at('error') }
}

/** For people: `12:30:01 warning files: …`, control characters of others made visible. */
export function textLog(least: LogSeverity | 'silent', sink: LogSink, now: () => Date = () => new Date()): GatewayLog {
  return logWith(least, (severity, message) => {
    const mark = severity === 'info' ? '' : `${severity} `
    sink(`${now().toISOString().slice(11, 19)} ${mark}${visible(message)}\n`)
  })
}

/** For programs: one JSON object per line. */
export function jsonLog(least: LogSeverity | 'silent', sink: LogSink, now: () => Date = () => new Date()): GatewayLog {
  return logWith(least, (severity, message, facts) => {
    const own = { time: now().toISOString(), severity, message }
    // What a fact is called must not change what the line says of itself.
    sink(`${JSON.stringify({ ...own, ...facts, ...own }).replace(STEERING, unicodeEscape)}\n`)
  })
}

/** The same log, with every text changed before it is written. */
export function changedLog(log: GatewayLog, change: (text: string) => string): GatewayLog {
  const at =
    (severity: LogSeverity) =>
    (message: string, facts?: LogFacts): void =>
      log[severity](
        change(message),
        facts &&
          Object.fromEntries(
            Object.entries(facts).map(([key, value]) => [key, typeof value === 'string' ? change(value) : value]),
          ),
      )
  return { debug: at('debug'), info: at('info'), warning: at('warning'), error: at('error') }
}

export const silentLog: GatewayLog = logWith('silent', () => {})

/**
 * A message of several lines cannot be taken for several messages; whatever steers terminals, or turns the direction of
 * writing, is shown.
 */
function visible(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(STEERING, escaped).replaceAll('\n', '\n  ')
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const STEERING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g

/**
 * JSON escapes C0 control characters by itself. C1 ones, U+2028 and the like end lines or steer terminals of whoever
 * reads the log.
 */
function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function escaped(character: string): string {
  const code = character.charCodeAt(0).toString(16)
  return code.length > 2 ? `\\u${code}` : `\\x${code.padStart(2, '0')}`
}
