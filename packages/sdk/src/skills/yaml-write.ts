/** Writes JSON as YAML that readers of YAML 1.1 and 1.2 read in the same way. */
import { isObject, type JsonObject, type JsonValue } from '../jsonrpc/index.ts'

/** Text without quotes: no special characters, and no word or number that a reader could take for another type. */
const PLAIN = /^[A-Za-z](?:[\w .,()/+-]*[\w.)/+])?$/
const WORDS = /^(?:y|n|yes|no|on|off|true|false|null)$/i

export function writeYaml(mapping: JsonObject, indent = ''): string {
  return Object.entries(mapping)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${indent}${scalar(key)}:${below(value as JsonValue, indent)}\n`)
    .join('')
}

function below(value: JsonValue, indent: string): string {
  if (isObject(value) && Object.keys(value).length > 0)
    return `\n${writeYaml(value as JsonObject, `${indent}  `).trimEnd()}`
  return typeof value === 'string' ? ` ${scalar(value)}` : ` ${json(value)}`
}

function scalar(text: string): string {
  return PLAIN.test(text) && !WORDS.test(text) ? text : json(text)
}

/** JSON is valid YAML, except for characters that YAML treats as line breaks or forbids. */
function json(value: JsonValue): string {
  return JSON.stringify(value).replace(
    /[\x7f-\xa0\u2028\u2029\ufeff\ufffe\uffff]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
