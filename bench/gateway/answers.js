/**
 * What the servers behind the gateways answer: made beforehand as far as possible, so that they are never what is
 * waited for.
 */

export const STATELESS = '2026-07-28'

const LIST_LENGTH = 50
const PAGE_BYTES = 10 * 1024
const META = 'io.modelcontextprotocol'

const info = { name: 'bench', version: '1.0.0' }
const inputSchema = {
  type: 'object',
  properties: {
    text: { type: 'string', minLength: 1 },
    days: { type: 'integer', minimum: 1, maximum: 14 },
    units: { type: 'string', enum: ['metric', 'imperial'] },
  },
  required: ['text'],
}

const toolOf = (at) => ({
  name: ['echo', 'page'][at] ?? `forecast-${at}`,
  description: `Forecast for a city over the next days, source ${at}`,
  inputSchema,
})

/** With what later versions have added, so that there is something to translate; older ones do not mind it. */
const richToolOf = (at) => ({
  ...toolOf(at),
  title: `Forecast ${at}`,
  annotations: { title: `Forecast ${at}`, readOnlyHint: true },
  ...(at % 5 === 0 && {
    outputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  }),
})

const SENTENCE = 'Rain in the morning, clearing from the west later. '
const page = SENTENCE.repeat(Math.ceil(PAGE_BYTES / SENTENCE.length)).slice(0, PAGE_BYTES)

const content = (text) => ({ content: [{ type: 'text', text }] })

const structured = (value) => ({ ...content(JSON.stringify(value)), structuredContent: value })

/** What every result of a version says besides its own. */
const besides = (version) =>
  version === STATELESS ? { resultType: 'complete', _meta: { [`${META}/serverInfo`]: info } } : {}
const uncached = (version) => (version === STATELESS ? { ttlMs: 0, cacheScope: 'private' } : {})

const greetings = {
  [STATELESS]: {
    'server/discover': {
      supportedVersions: [STATELESS],
      capabilities: { tools: {} },
      ttlMs: 3_600_000,
      cacheScope: 'public',
    },
  },
}
const greetingOf = (version) =>
  greetings[version] ?? {
    initialize: { protocolVersion: version, capabilities: { tools: {} }, serverInfo: info },
    ping: {},
  }

/** Gives `answer(text)`: the answer to a message as text; undefined where there is none to give. */
export function answering(version, { rich = false } = {}) {
  const tools = Array.from({ length: LIST_LENGTH }, (_, at) => (rich ? richToolOf(at) : toolOf(at)))
  const echo = rich ? (text) => structured({ text }) : content
  const behind = JSON.stringify(besides(version)).slice(1)
  const written = (result) =>
    JSON.stringify(result).slice(0, -1) + (behind === '}' || Object.keys(result).length === 0 ? '' : ',') + behind
  const prepared = new Map(
    Object.entries({ ...greetingOf(version), 'tools/list': { tools, ...uncached(version) } }).map(
      ([method, result]) => [method, written(result)],
    ),
  )
  const pageText = written(content(page))
  const called = ({ name, arguments: given }) => (name === 'page' ? pageText : written(echo(given.text)))

  return (text) => {
    const { id, method, params } = JSON.parse(text)
    if (id === undefined || method === undefined) return undefined
    const result = method === 'tools/call' ? called(params) : prepared.get(method)
    if (result !== undefined) return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`
    return JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: `Method not found: ${method}` } })
  }
}

/** Throws unless it is what `echo` answers to `text`, as it is or as JSON. */
export function checkEcho(message, text) {
  const told = JSON.parse(message).result?.content?.[0]?.text
  if (told !== text && told !== JSON.stringify({ text }))
    throw new Error(`Not the echo of "${text}": ${message.slice(0, 500)}`)
}

export function checkPage(message) {
  checkEcho(message, page)
}

export function checkTools(message) {
  const { result } = JSON.parse(message)
  if (result?.tools?.length !== LIST_LENGTH)
    throw new Error(`Not a list of ${LIST_LENGTH} tools: ${message.slice(0, 500)}`)
}
