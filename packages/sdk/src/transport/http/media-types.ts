/** Content types and what a peer accepts of them. The same few headers come again and again, so what was made of them is remembered. */

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
  return type === JSON_TYPE && parameters.every((parameter) => !parameter.startsWith('charset=') || /^charset="?utf-?8"?$/.test(parameter))
})

export interface Acceptance {
  readonly json: boolean
  readonly events: boolean
}

/** What an `Accept` header admits; without one, everything. */
export function acceptance(header: string | undefined): Acceptance {
  return header === undefined ? EVERYTHING : readAccept(header)
}

const EVERYTHING: Acceptance = { json: true, events: true }

const readAccept: (header: string) => Acceptance = remembering((header) => {
  const ranges = new Map<string, boolean>()
  for (const range of header.split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    if (type !== '') ranges.set(type, !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)))
  }
  const admits = (type: string): boolean => ranges.get(type) ?? ranges.get(`${type.slice(0, type.indexOf('/'))}/*`) ?? ranges.get('*/*') ?? false
  return { json: admits(JSON_TYPE), events: admits(EVENT_STREAM) }
})
