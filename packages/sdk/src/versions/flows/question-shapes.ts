/**
 * Questions inside a result and the answers that come back for them: the least they must look like to be of use (D-06,
 * D-20, D-22).
 */
import { type Body, isObject } from '../../jsonrpc/index.ts'

export interface Question {
  readonly method: string
  readonly params: Body | undefined
}

/** What a result of type `input_required` says. */
export interface InputDemand {
  readonly requests: ReadonlyMap<string, Question>
  /** To be handed back exactly as it came; absent means that none is handed back. */
  readonly state: string | undefined
}

interface Shape {
  readonly needsParams: boolean
  answers(response: Body): boolean
}

const ACTIONS: ReadonlySet<unknown> = new Set(['accept', 'decline', 'cancel'])

const SHAPES: ReadonlyMap<string, Shape> = new Map([
  [
    'elicitation/create',
    {
      needsParams: true,
      answers: ({ action, content }) => ACTIONS.has(action) && (content === undefined || isObject(content)),
    } satisfies Shape,
  ],
  [
    'sampling/createMessage',
    {
      needsParams: true,
      answers: ({ role, model, content }) =>
        typeof role === 'string' && typeof model === 'string' && (isObject(content) || Array.isArray(content)),
    } satisfies Shape,
  ],
  ['roots/list', { needsParams: false, answers: ({ roots }) => Array.isArray(roots) } satisfies Shape],
])

export function isAnswer(method: string, response: unknown): response is Body {
  return isObject(response) && (SHAPES.get(method)?.answers(response) ?? true)
}

/** What was said to the question of this key; inherited names are no answers. */
export function responseTo(responses: unknown, key: string): unknown {
  return isObject(responses) && Object.hasOwn(responses, key) ? responses[key] : undefined
}

/** The answers that can be used, of those that came back; `methods` names the method of each question by its key. */
export function validResponses(responses: unknown, methods: Readonly<Record<string, string>>): Body {
  const usable = Object.entries(methods).flatMap(([key, method]): [string, unknown][] => {
    const response = responseTo(responses, key)
    return isAnswer(method, response) ? [[key, response]] : []
  })
  return Object.fromEntries(usable)
}

/** Reads a result of type `input_required`; a text says why it is none. */
export function readInputRequired(result: Body): InputDemand | string {
  const { inputRequests: given, requestState: state } = result
  if (given === undefined && state === undefined) return 'It has neither inputRequests nor requestState'
  if (state !== undefined && typeof state !== 'string') return 'requestState is not a string'
  if (given !== undefined && !isObject(given)) return 'inputRequests is not an object'
  const requests = new Map<string, Question>()
  for (const [key, request] of Object.entries(given ?? {})) {
    const question = readQuestion(key, request)
    if (typeof question === 'string') return question
    requests.set(key, question)
  }
  return { requests, state }
}

function readQuestion(key: string, request: unknown): Question | string {
  if (!isObject(request)) return `inputRequests[${quoted(key)}] is not an object`
  const { method, params } = request
  const shape = typeof method === 'string' ? SHAPES.get(method) : undefined
  if (shape === undefined)
    return `inputRequests[${quoted(key)}] asks ${quoted(method)}, which is none of ${[...SHAPES.keys()].join(', ')}`
  if (isObject(params) || (params === undefined && !shape.needsParams)) return { method: method as string, params }
  return `inputRequests[${quoted(key)}] needs params that are an object`
}

/** Keys and methods come from the peer: shown short. */
export function quoted(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.length > 64 ? `${value.slice(0, 63)}…` : value) : 'no method'
}
