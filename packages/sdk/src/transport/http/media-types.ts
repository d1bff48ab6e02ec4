/** Reads content types and `Accept` headers. Clients repeat the same few headers, so the results are remembered. */

export const JSON_TYPE = 'application/json'
export const EVENT_STREAM = 'text/event-stream'

const MAX_RESULTS = 200

function memoised<Value>(make: (text: string) => Value): (text: string) => Value {
  const known = new Map<string, Value>()
  return (text) => {
    let value = known.get(text)
    if (value === undefined) {
      value = make(text)
      // Peers choose the headers, so the number of results is limited.
      if (known.size >= MAX_RESULTS) known.clear()
      known.set(text, value)
    }
    return value
  }
}

/** True for JSON in UTF-8. Other encodings are not supported (415). */
export const isJsonType: (header: string) => boolean = memoised((header) => {
  const [type = '', ...parameters] = header.split(';').map((part) => part.trim().toLowerCase())
  return (
    type === JSON_TYPE &&
    parameters.every((parameter) => !parameter.startsWith('charset=') || /^charset="?utf-?8"?$/.test(parameter))
  )
})

export interface AcceptedTypes {
  readonly json: boolean
  readonly events: boolean
  /** Text is preferred over JSON and events, as browsers do. */
  readonly text: boolean
}

/** The types that an `Accept` header allows. Without a header: all. */
export function acceptedTypes(header: string | undefined): AcceptedTypes {
  return header === undefined ? EVERYTHING : readAccept(header)
}

const EVERYTHING: AcceptedTypes = { json: true, events: true, text: false }

const readAccept: (header: string) => AcceptedTypes = memoised((header) => {
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
