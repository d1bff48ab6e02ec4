/** From text to classified messages, within limits; never throws. */
import { ENDS, invalid, oversized } from './invalid.ts'
import { isObject } from './json.ts'
import { DEFAULT_LIMITS, exceedsBytes, type MessageLimits } from './limits.ts'
import type { Body, Incoming, Invalid, RequestId } from './message.ts'

export function parse(text: string, limits: MessageLimits = DEFAULT_LIMITS): Incoming {
  if (exceedsBytes(text, limits.maxBytes)) return oversized(text.slice(0, ENDS), text.slice(-ENDS), limits.maxBytes)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return invalid('parse_error', 'The message is not valid JSON')
  }
  if (!isHarmless(text, limits.maxDepth) && !inspect(value, limits.maxDepth)) return tooDeep(value, limits.maxDepth)
  if (!Array.isArray(value)) return classify(value)
  if (value.length === 0) return invalid('batch_invalid', 'A batch must not be empty')
  if (value.length > limits.maxBatch)
    return invalid('batch_invalid', `Batches are limited to ${limits.maxBatch} messages`)
  return { kind: 'batch', items: value.map(classify) }
}

/** One parsed value as a message, or why it is none. */
export function classify(value: unknown): Incoming {
  if (!isObject(value)) return invalid('invalid_request', 'A message must be a JSON object')
  const { id, method, params } = value
  const isAnswer = looksLikeAnswer(value)
  if (value['jsonrpc'] !== '2.0')
    return invalid('invalid_request', 'Member "jsonrpc" must be "2.0"', readableId(id), isAnswer)
  if (isAnswer) return classifyAnswer(value)
  if (typeof method !== 'string' || method === '')
    return invalid('invalid_request', 'Member "method" must be a non-empty string', readableId(id))
  if (params !== undefined && !isObject(params)) {
    return 'id' in value
      ? invalid('invalid_params', 'Member "params" must be an object', readableId(id))
      : invalid('invalid_request', 'Member "params" must be an object', undefined, true)
  }
  if (!('id' in value)) return { kind: 'notification', message: value as never }
  if (!isRequestId(id))
    return invalid('invalid_request', 'Member "id" must be a string or an integer that fits 53 bits')
  return { kind: 'request', message: value as never }
}

function classifyAnswer(value: Body): Incoming {
  const { id, result, error } = value
  if (error !== undefined) {
    if (result !== undefined)
      return invalid('invalid_request', 'An answer has either "result" or "error"', readableId(id), true)
    if (!isObject(error) || !Number.isInteger(error['code']) || typeof error['message'] !== 'string') {
      return invalid(
        'invalid_request',
        'Member "error" must have an integer "code" and a string "message"',
        readableId(id),
        true,
      )
    }
    if (id !== undefined && id !== null && !isRequestId(id))
      return invalid('invalid_request', 'Member "id" must be a string or an integer', undefined, true)
    return { kind: 'error', message: value as never }
  }
  if (!isRequestId(id)) return invalid('invalid_request', 'Member "id" must be a string or an integer', undefined, true)
  if (!isObject(result)) return invalid('invalid_request', 'Member "result" must be an object', id, true)
  return { kind: 'result', message: value as never }
}

export function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || Number.isSafeInteger(value)
}

function readableId(id: unknown): RequestId | undefined {
  return isRequestId(id) ? id : undefined
}

function looksLikeAnswer(value: Body): boolean {
  return value['method'] === undefined && ('result' in value || 'error' in value)
}

function tooDeep(value: unknown, maxDepth: number): Invalid {
  const message = isObject(value) ? value : {}
  return invalid(
    'message_too_deep',
    `Messages are limited to ${maxDepth} levels of nesting`,
    readableId(message['id']),
    looksLikeAnswer(message),
  )
}

/**
 * Short texts cannot be deep, and without the name, or a backslash to hide it with, hold no `__proto__`: most messages
 * need no walk.
 */
function isHarmless(text: string, maxDepth: number): boolean {
  return text.length < 2 * maxDepth && !text.includes('__proto__') && !text.includes('\\u')
}

/**
 * Walks a parsed value level by level, once: false when it is nested deeper than `maxDepth`. On the way `__proto__`,
 * which JSON.parse makes an own key, is removed, so that no later copy can reach a prototype with it. The walk is cheap
 * beside parsing, where counting brackets in the text beforehand could cost as much as parsing. The price: a hostile
 * text is parsed before its depth is known, and deep nesting parses slower than flat text of the same length, so
 * `maxBytes` is what bounds that time.
 */
function inspect(root: unknown, maxDepth: number): boolean {
  let level: Container[] = isContainer(root) ? [root] : []
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > maxDepth) return false
    const next: Container[] = []
    for (const value of level) collectChildren(value, next)
    level = next
  }
  return true
}

type Container = Body | unknown[]

function collectChildren(value: Container, found: Container[]): void {
  if (Array.isArray(value)) {
    for (const child of value) if (isContainer(child)) found.push(child)
    return
  }
  for (const key in value) {
    const child = value[key]
    if (key === '__proto__') Reflect.deleteProperty(value, key)
    else if (isContainer(child)) found.push(child)
  }
}

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null
}
