/** Completion: tools can be completed as well, and suggestions are flat and have labels (D). */
import { type Body, isObject } from '../../jsonrpc/index.ts'
import type { EditContext } from '../operation.ts'

const PREFIX = 'ref/'
const COMPLETED: readonly unknown[] = ['tool', 'prompt', 'resource']

/** `ref/prompt` → `prompt`. */
export function refToErlmcp(ref: Body): Body {
  const bare =
    typeof ref['type'] === 'string' && ref['type'].startsWith(PREFIX) ? ref['type'].slice(PREFIX.length) : undefined
  return COMPLETED.includes(bare) ? { ...ref, type: bare } : ref
}

/** No version completes arguments of tools. A peer that does not know `ref/tool` refuses it. */
export function refFromErlmcp(ref: Body): Body {
  return COMPLETED.includes(ref['type']) ? { ...ref, type: `${PREFIX}${ref['type']}` } : ref
}

/** Arguments chosen so far are text. */
export function argumentsFromErlmcp(chosen: Body): Body {
  const entries = Object.entries(chosen)
  if (entries.every(([, value]) => typeof value === 'string')) return chosen
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  )
}

export function suggestionsToErlmcp(result: Body): Body {
  const { completion, ...rest } = result
  if (!isObject(completion) || !Array.isArray(completion['values'])) return result
  const { values, ...facts } = completion
  return { ...rest, completions: (values as unknown[]).map((value) => ({ value })), hasMore: false, ...facts }
}

export function suggestionsFromErlmcp(result: Body, context: EditContext): Body {
  const { completions, hasMore, total, ...rest } = result
  if (!Array.isArray(completions)) return result
  const values = completions.map((one: unknown, at) => {
    if (!isObject(one)) return one
    if (one['label'] !== undefined && one['label'] !== one['value'])
      context.lose('removed the label of a suggestion', { path: `completions[${at}].label` })
    return one['value']
  })
  return {
    ...rest,
    completion: { values, ...(total === undefined ? {} : { total }), ...(hasMore === undefined ? {} : { hasMore }) },
  }
}
