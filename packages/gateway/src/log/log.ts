/** The log of the gateway: one line for each event on standard error, for people or for programs. */

export type LogSeverity = 'debug' | 'info' | 'warning' | 'error'

/** Facts of a message. Never payloads and never secrets. */
export type LogFacts = Readonly<Record<string, unknown>>

export type GatewayLog = Readonly<Record<LogSeverity, (message: string, facts?: LogFacts) => void>>

export type LogSink = (line: string) => void

const ORDER: readonly LogSeverity[] = ['debug', 'info', 'warning', 'error']
/** Limit of a message, because a server may write long lines. */
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

/** For people: `12:30:01 warning files: …`. Control characters are made visible. */
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
    // A fact must not replace the time, severity or message.
    sink(`${JSON.stringify({ ...own, ...facts, ...own }).replace(CONTROL_CHARACTERS, unicodeEscape)}\n`)
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
 * Indents further lines, so that one message does not look like several. Makes control characters visible, and characters
 * that change the direction of writing.
 */
function visible(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(CONTROL_CHARACTERS, escaped).replaceAll('\n', '\n  ')
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds them
const CONTROL_CHARACTERS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g

/**
 * JSON escapes only C0 control characters. C1 characters, U+2028 and similar ones end lines or control the
 * terminal.
 */
function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function escaped(character: string): string {
  const code = character.charCodeAt(0).toString(16)
  return code.length > 2 ? `\\u${code}` : `\\x${code.padStart(2, '0')}`
}
