/**
 * Content types and what a peer accepts of them. The same few headers come again and again, so what was made of them is
 * remembered.
 */

export const JSON_TYPE = 'application/json'
export const EVENT_STREAM = 'text/event-stream'

const MAX_REMEMBERED = 200

function remembering<Value>(make: (text: string) => Value): (text: string) => Value {
  const known = new Map<string, Value>()
  return (text) => {
    let value = known.get(text)
    if (value === undefined) {
      value = make(text)
      // Headers come from peers: what they fill is emptied.
      if (known.size >= MAX_REMEMBERED) known.clear()
      known.set(text, value)
    }
    return value
  }
}

/** True for JSON in UTF-8, the only encoding there is (415 otherwise). */
export const isJsonType: (header: string) => boolean = remembering((header) => {
  const [type = '', ...parameters] = header.split(';').map((part) => part.trim().toLowerCase())
  return (
    type === JSON_TYPE &&
    parameters.every((parameter) => !parameter.startsWith('charset=') || /^charset="?utf-?8"?$/.test(parameter))
  )
})

export interface Acceptance {
  readonly json: boolean
  readonly events: boolean
  /** By name, and before what programs read: it is people who do. */
  readonly text: boolean
}

/** What an `Accept` header admits; without one, everything. */
export function acceptance(header: string | undefined): Acceptance {
  return header === undefined ? EVERYTHING : readAccept(header)
}

const EVERYTHING: Acceptance = { json: true, events: true, text: false }

const readAccept: (header: string) => Acceptance = remembering((header) => {
  const ranges = new Map<string, number>()
  for (const range of header.split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    if (type !== '') ranges.set(type, weightAmong(parameters))
  }
  const admits = (type: string): boolean =>
    (ranges.get(type) ?? ranges.get(`${type.slice(0, type.indexOf('/'))}/*`) ?? ranges.get('*/*') ?? 0) > 0
  const named = (...types: string[]): number => Math.max(...types.map((type) => ranges.get(type) ?? 0))
  return {
    json: admits(JSON_TYPE),
    events: admits(EVENT_STREAM),
    text: named('text/html', 'text/plain') > named(JSON_TYPE, EVENT_STREAM),
  }
})

function weightAmong(parameters: readonly string[]): number {
  const [, weight = '1'] =
    parameters.map((parameter) => /^q=([01](?:\.\d*)?)$/.exec(parameter)).find((found) => found !== null) ?? []
  return Number(weight)
}
