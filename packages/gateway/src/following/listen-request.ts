/** Reads the request `subscriptions/listen`, at the address of one server and at that of all. */
import { ParleyError } from 'parley-mcp'
import { type Body, type Inbound, isObject } from 'parley-mcp/engine'
import type { ListKind } from '../upstream/index.ts'

/** The field of a request by which a client asks to be told of changes of a list. */
export const LIST_FIELDS: Readonly<Record<ListKind, string>> = {
  tools: 'toolsListChanged',
  prompts: 'promptsListChanged',
  resources: 'resourcesListChanged',
}
export const LIST_KINDS = Object.keys(LIST_FIELDS) as ListKind[]

/** The most resources, and the most tasks, that one request may name. */
const MAX_NAMED = 1000
const MAX_LISTENERS = 10_000

/** `listeners`: the number of current listeners. */
export function wantedIn({ params }: Inbound, listeners: number): Body {
  const wanted = params['notifications']
  if (!isObject(wanted))
    throw new ParleyError('invalid_params', {
      message: '"notifications" must be an object that says what to listen for',
    })
  if (listeners >= MAX_LISTENERS)
    throw new ParleyError('too_many_requests', { message: 'Too many clients listen already' })
  return wanted
}

/** Each string once; `undefined` where the client did not ask for any. */
export function stringsIn(wanted: Body, field: string): readonly string[] | undefined {
  const values: unknown = wanted[field]
  if (values === undefined) return undefined
  if (!Array.isArray(values) || !values.every((value) => typeof value === 'string'))
    throw new ParleyError('invalid_params', { message: `"notifications.${field}" must be a list of strings` })
  if (values.length > MAX_NAMED)
    throw new ParleyError('subscription_failed', { message: `"notifications.${field}" may name ${MAX_NAMED} at most` })
  return [...new Set(values as string[])]
}
