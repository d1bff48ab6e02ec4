/**
 * Says whether a message is one of a version: the official schemas when they are there, the published releases always,
 * and what only the prose demands.
 */
import { isObject } from '../../src/jsonrpc/index.ts'

import { eraOf, type Part, type ProtocolVersion } from '../../src/versions/index.ts'
import { definitionOf, kindOf } from './definitions.ts'
import { judgedAs, parse } from './releases.ts'
import { haveSchemas, type Judgement, validate } from './schemas.ts'

export const oracles: string = haveSchemas
  ? 'official schemas and published releases'
  : 'published releases only (set PARLEY_SPEC_SCHEMAS to the directory of the official schemas to consult them too)'

const multiRound = new Set(['tools/call', 'prompts/get', 'resources/read'])
const taskAugmented = new Set(['tools/call', 'sampling/createMessage', 'elicitation/create'])
const cacheable = new Set([
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
])
/** Travel inside results in the stateless era, and so without its envelope. */
const embedded = new Set(['sampling/createMessage', 'roots/list', 'elicitation/create'])
const tasksExtension = new Set(['tasks/get', 'tasks/update', 'tasks/cancel', 'notifications/tasks'])

const errorDefinitions: Readonly<Partial<Record<ProtocolVersion, Readonly<Record<number, string>>>>> = {
  '2025-11-25': { [-32042]: 'URLElicitationRequiredError' },
  '2026-07-28': {
    [-32020]: 'HeaderMismatchError',
    [-32021]: 'MissingRequiredClientCapabilityError',
    [-32022]: 'UnsupportedProtocolVersionError',
  },
}

/** `undefined` when the part is valid, otherwise every oracle's complaint. */
export function judge(version: ProtocolVersion, method: string, part: Part, body: unknown): Judgement {
  const definition = definitionFor(version, method, part, body)
  const message = wrap(method, part, body)
  const stateless = eraOf(version) === 'stateless'
  const outsideCore = stateless && (tasksExtension.has(method) || definition === 'CreateTaskResult') && part !== 'error'
  const complaints = [
    haveSchemas ? validate(outsideCore ? 'tasks-extension' : judgedAs(version), definition, message) : undefined,
    outsideCore || (stateless && asksForUrl(definition, body))
      ? undefined
      : parse(version, parserFor(definition, body), message),
    stateless ? statelessProse(version, method, part, body) : undefined,
  ].filter((complaint) => complaint !== undefined)
  return complaints.length === 0 ? undefined : complaints.join('\n')
}

function definitionFor(version: ProtocolVersion, method: string, part: Part, body: unknown): string {
  const stateless = eraOf(version) === 'stateless'
  if (part === 'error') {
    const special = isObject(body) ? errorDefinitions[judgedAs(version)]?.[body['code'] as number] : undefined
    return special ?? (version >= '2025-11-25' ? 'JSONRPCErrorResponse' : 'JSONRPCError')
  }
  if (part === 'result' && isObject(body)) {
    if (stateless && multiRound.has(method) && body['resultType'] === 'input_required') return 'InputRequiredResult'
    if (stateless && body['resultType'] === 'task') return 'CreateTaskResult'
    if (version === '2025-11-25' && taskAugmented.has(method) && isObject(body['task'])) return 'CreateTaskResult'
  }
  return definitionOf(method, part)
}

/** The releases have a parser of its own for sampling results of clients that were offered tools. */
function parserFor(definition: string, body: unknown): string {
  const plural =
    definition === 'CreateMessageResult' &&
    isObject(body) &&
    (Array.isArray(body['content']) || isToolUse(body['content']))
  return plural ? 'CreateMessageResultWithTools' : definition
}

/** The 2.x parser still wants the `elicitationId` that 2026-07-28 removed. */
function asksForUrl(definition: string, body: unknown): boolean {
  return definition === 'ElicitRequest' && isObject(body) && body['mode'] === 'url'
}

function isToolUse(content: unknown): boolean {
  return isObject(content) && (content['type'] === 'tool_use' || content['type'] === 'tool_result')
}

function wrap(method: string, part: Part, body: unknown): unknown {
  if (part === 'result') return body
  if (part === 'error') return { jsonrpc: '2.0', id: 1, error: body }
  const params = body === undefined ? {} : { params: body }
  return kindOf(method) === 'notification'
    ? { jsonrpc: '2.0', method, ...params }
    : { jsonrpc: '2.0', id: 1, method, ...params }
}

/** What the releases do not check and the schemas cannot say. */
function statelessProse(version: ProtocolVersion, method: string, part: Part, body: unknown): Judgement {
  if (kindOf(method) === 'notification' || (embedded.has(method) && part !== 'error')) return undefined
  if (!isObject(body)) return `${method} ${part} is missing`
  const checks = {
    params: () => requestEnvelope(version, body['_meta']),
    result: () => resultEnvelope(method, body),
    error: () => forbiddenCode(body['code'] as number),
  }
  return checks[part]()
}

function requestEnvelope(version: ProtocolVersion, meta: unknown): Judgement {
  if (!isObject(meta)) return 'params._meta is missing'
  if (meta['io.modelcontextprotocol/protocolVersion'] !== version)
    return 'params._meta does not name the protocol version'
  return isObject(meta['io.modelcontextprotocol/clientCapabilities'])
    ? undefined
    : 'params._meta does not hold the client capabilities'
}

function resultEnvelope(method: string, body: Record<string, unknown>): Judgement {
  const type = body['resultType']
  if (type === 'input_required')
    return body['inputRequests'] === undefined && body['requestState'] === undefined
      ? 'input_required asks for nothing'
      : undefined
  if (type !== 'complete' && type !== 'task') return `resultType is ${JSON.stringify(type)}`
  const cached = typeof body['ttlMs'] === 'number' && typeof body['cacheScope'] === 'string'
  return cacheable.has(method) && !cached ? 'a cacheable result without ttlMs and cacheScope' : undefined
}

function forbiddenCode(code: number): Judgement {
  if (code === -32002) return 'the code -32002 must not be sent any more'
  const reserved = code <= -32020 && code >= -32099
  return reserved && ![-32020, -32021, -32022].includes(code) ? `the code ${code} is reserved` : undefined
}
