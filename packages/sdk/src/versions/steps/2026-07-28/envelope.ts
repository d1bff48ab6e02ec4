/** The envelope of each message of 2026-07-28: client, server, type of result, and how long it stays fresh. */
import { type Body, isObject } from '../../../jsonrpc/index.ts'
import type { Edit, EditContext, TranslationContext } from '../../operation.ts'
import { refuse } from '../../verdict.ts'
import { without } from '../without.ts'
import { clientCapabilitiesUp, extensionLosses } from './capabilities.ts'
import { STATELESS } from './methods.ts'

/** Names in `_meta` that belong to the protocol itself. */
export const META = {
  version: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscription: 'io.modelcontextprotocol/subscriptionId',
} as const

const REQUEST_KEYS: readonly string[] = [META.version, META.clientInfo, META.clientCapabilities, META.logLevel]
const LOG_LEVELS: ReadonlySet<unknown> = new Set([
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
])

/** D-01: every request says by itself what a session used to remember. */
export const addRequestEnvelope: Edit = (params, context) => {
  for (const { path, severity, detail } of extensionLosses(context.clientCapabilities ?? {}, 'D-40', context.method)) {
    context.lose(detail, {
      rule: 'D-40',
      path: `_meta.${META.clientCapabilities}${path.slice('capabilities'.length)}`,
      severity,
    })
  }
  return replaceMeta(params, REQUEST_KEYS, requestEnvelope(context), (key) =>
    context.lose(`replaced a reserved name`, { rule: 'D-01', path: `_meta.${key}` }),
  )
}

export function requestEnvelope(context: TranslationContext): Body {
  const envelope: Body = {
    [META.version]: STATELESS,
    [META.clientCapabilities]: clientCapabilitiesUp(context.clientCapabilities ?? {}),
  }
  if (isImplementation(context.clientInfo)) envelope[META.clientInfo] = context.clientInfo
  if (LOG_LEVELS.has(context.logLevel)) envelope[META.logLevel] = context.logLevel
  return envelope
}

export const removeRequestEnvelope: Edit = (params) => replaceMeta(params, REQUEST_KEYS, undefined)

/** D-02: what an older server answers is always the final result. */
export const addResultType: Edit = (result, context) => {
  if (result['resultType'] === 'complete') return result
  if (result['resultType'] !== undefined)
    context.lose('replaced a field that has a meaning of its own in the newer version', {
      rule: 'D-02',
      path: 'resultType',
    })
  return { ...result, resultType: 'complete' }
}

/** D-02: an older client reads every result as final, so whatever is not must not reach it. */
export const demandComplete: Edit = (result, context) => {
  const type = result['resultType']
  if (type === undefined || type === 'complete') return result
  const shown = String(JSON.stringify(type)).slice(0, 64)
  context.lose(`result of type ${shown}`, { rule: 'D-02', path: 'resultType', severity: 'E' })
  return refuse(
    'translation_failed',
    `${context.method} was answered with a result of type ${shown}, which only exists since protocol version ${STATELESS}`,
    {
      resultType: type,
    },
  )
}

/** D-03: the server introduces itself with every result. */
export const addServerInfo: Edit = (result, context) =>
  replaceMeta(
    result,
    [META.serverInfo],
    isImplementation(context.serverInfo) ? { [META.serverInfo]: context.serverInfo } : undefined,
    (key) => context.lose('replaced a reserved name', { rule: 'D-03', path: `_meta.${key}` }),
  )

export const removeServerInfo: Edit = (result) => replaceMeta(result, [META.serverInfo], undefined)

/** D-04: ties a notification, and the end of listening, to the request that listens. */
export const addSubscription: Edit = (body, context) =>
  replaceMeta(body, [META.subscription], subscriptionOf(context), (key) =>
    context.lose('replaced a reserved name', { rule: 'D-04', path: `_meta.${key}` }),
  )

export const removeSubscription: Edit = (body) => replaceMeta(body, [META.subscription], undefined)

function subscriptionOf(context: EditContext): Body | undefined {
  const id = context.subscriptionId
  return id === undefined ? undefined : { [META.subscription]: id }
}

/** D-42: a server that said nothing about caching meant: ask me again, and do not show it to others. */
export const addCacheHints: Edit = (result) => {
  const { ttlMs, cacheScope } = result
  const keepsTime = Number.isInteger(ttlMs) && (ttlMs as number) >= 0
  const keepsScope = cacheScope === 'public' || cacheScope === 'private'
  if (keepsTime && keepsScope) return result
  return { ...result, ttlMs: keepsTime ? ttlMs : 0, cacheScope: keepsScope ? cacheScope : 'private' }
}

function isImplementation(value: unknown): value is Body {
  return isObject(value) && typeof value['name'] === 'string' && typeof value['version'] === 'string'
}

/**
 * Takes `keys` out of `_meta` and puts `fields` in; a `_meta` that held nothing else goes too. Same reference when
 * nothing changes.
 */
function replaceMeta(
  body: Body,
  keys: readonly string[],
  fields: Body | undefined,
  onReplaced?: (key: string) => void,
): Body {
  const present = body['_meta']
  const meta = isObject(present) ? present : undefined
  const found = meta === undefined ? [] : keys.filter((key) => Object.hasOwn(meta, key))
  if (fields === undefined && found.length === 0) return body
  const kept: Body = { ...meta }
  for (const key of found) {
    delete kept[key]
    if (fields?.[key] !== (meta as Body)[key]) onReplaced?.(key)
  }
  if (fields === undefined && Object.keys(kept).length === 0) return without(body, '_meta')
  return { ...body, _meta: { ...kept, ...fields } }
}
