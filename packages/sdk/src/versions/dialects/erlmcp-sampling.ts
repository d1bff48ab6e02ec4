/** Sampling: limits of the answer are among the preferences, and words are written with underscores (D). */
import { type Body, isObject } from '../../jsonrpc/index.ts'
import type { EditContext } from '../operation.ts'
import { without } from '../steps/without.ts'

/** Fields 2025-11-25 has beside `modelPreferences`. */
const LIMITS = ['maxTokens', 'temperature']
/** 2025-11-25 requires one; this is what the papers on erlmcp ask for. */
const DEFAULT_MAX_TOKENS = 1024

const standardContext: ReadonlyMap<unknown, string> = new Map([
  ['this_request', 'none'],
  ['none', 'none'],
  ['this_server', 'thisServer'],
  ['all_servers', 'allServers'],
])
const erlmcpContext: ReadonlyMap<unknown, string> = new Map([
  ['none', 'this_request'],
  ['thisServer', 'this_server'],
  ['allServers', 'all_servers'],
])

const STOPS: readonly (readonly [standard: string, erlmcp: string])[] = [
  ['endTurn', 'end_turn'],
  ['stopSequence', 'stop_sequence'],
  ['maxTokens', 'max_tokens'],
  ['toolUse', 'tool_use'],
]
const erlmcpStop: ReadonlyMap<unknown, string> = new Map(STOPS)
const standardStop: ReadonlyMap<unknown, string> = new Map(STOPS.map(([standard, erlmcp]) => [erlmcp, standard]))

export function samplingToErlmcp(params: Body): Body {
  const { includeContext, modelPreferences, ...rest } = params
  const limits = limitsIn(rest)
  if (includeContext === undefined && Object.keys(limits).length === 0) return params
  return {
    ...LIMITS.reduce(without, rest),
    modelPreferences: { ...(isObject(modelPreferences) ? modelPreferences : {}), ...limits },
    ...(includeContext === undefined ? {} : { includedContext: erlmcpContext.get(includeContext) ?? includeContext }),
  }
}

/** Fields in the places of the specification count for more. */
export function samplingFromErlmcp(params: Body, context: EditContext): Body {
  const { includedContext, modelPreferences, ...rest } = params
  const preferences = isObject(modelPreferences) ? modelPreferences : {}
  const limits = limitsIn(preferences)
  if (includedContext === undefined && Object.keys(limits).length === 0 && rest['maxTokens'] !== undefined)
    return params
  const others = LIMITS.reduce(without, preferences)
  const include = standardContext.get(includedContext)
  if (includedContext !== undefined && include === undefined) {
    context.lose('removed a wish for context that 2025-11-25 has no word for', { path: 'includedContext' })
  }
  return {
    maxTokens: DEFAULT_MAX_TOKENS,
    ...limits,
    ...(include === undefined ? {} : { includeContext: include }),
    ...rest,
    ...(Object.keys(others).length === 0 ? {} : { modelPreferences: others }),
  }
}

export function sampledToErlmcp(result: Body): Body {
  const { content, stopReason } = result
  const stop = erlmcpStop.get(stopReason)
  if (!isObject(content) && stop === undefined) return result
  return {
    ...result,
    ...(isObject(content) ? { content: [content] } : {}),
    ...(stop === undefined ? {} : { stopReason: stop }),
  }
}

/** The answer is always one of the assistant. */
export function sampledFromErlmcp(result: Body): Body {
  const { content, role, stopReason } = result
  const only: unknown = Array.isArray(content) && content.length === 1 ? content[0] : undefined
  const stop = standardStop.get(stopReason)
  if (content === undefined || (role !== undefined && only === undefined && stop === undefined)) return result
  return {
    role: 'assistant',
    ...result,
    ...(only === undefined ? {} : { content: only }),
    ...(stop === undefined ? {} : { stopReason: stop }),
  }
}

function limitsIn(object: Body): Body {
  return Object.fromEntries(LIMITS.filter((key) => object[key] !== undefined).map((key) => [key, object[key]]))
}
