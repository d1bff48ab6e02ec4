/**
 * Messages with values in every position that JavaScript makes something of: what has no text, and names of its own
 * members.
 */

import type { Acceptor } from '../../src/session/index.ts'
import { flush } from '../../src/testing.ts'
import { eraOf, type ProtocolVersion } from '../../src/versions/index.ts'
import { envelope, type Frame, openRaw } from './raw-client.ts'

type Body = Record<string, unknown>

/** As a peer writes them: `JSON.parse` makes own members even of `__proto__`. */
const ODD: readonly string[] = [
  '{"toString":1}',
  '{"toString":"x","valueOf":null,"toJSON":true}',
  '{"constructor":{"name":1},"then":1}',
  '{"__proto__":{"toString":0},"hasOwnProperty":0,"length":-1}',
  '[{"toString":1}]',
  'null',
  '"__proto__"',
  '"constructor"',
]

const progress = {
  _meta: { progressToken: 'token', traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
}

/** What a client asks and says, with all that can be in it. */
const clientMessages: readonly { readonly method: string; readonly params: Body }[] = [
  { method: 'tools/call', params: { name: 'forecast', arguments: { city: 'Oslo', days: 2 }, ...progress } },
  {
    method: 'tools/call',
    params: { name: 'forecast', arguments: { city: 'Oslo' }, task: { ttl: 1000, pollInterval: 10 } },
  },
  {
    method: 'tools/call',
    params: { name: 'media', requestState: 'state', inputResponses: { a: { action: 'accept', content: { a: 1 } } } },
  },
  { method: 'tools/list', params: { cursor: 'cursor', ...progress } },
  { method: 'prompts/list', params: { cursor: 'cursor' } },
  { method: 'prompts/get', params: { name: 'review', arguments: { code: 'x' }, ...progress } },
  { method: 'resources/list', params: { cursor: 'cursor' } },
  { method: 'resources/templates/list', params: { cursor: 'cursor' } },
  { method: 'resources/read', params: { uri: 'notes://today', ...progress } },
  { method: 'resources/subscribe', params: { uri: 'notes://today' } },
  { method: 'resources/unsubscribe', params: { uri: 'notes://today' } },
  { method: 'resources/directory/read', params: { uri: 'skill://x', cursor: 'cursor' } },
  {
    method: 'completion/complete',
    params: {
      ref: { type: 'ref/prompt', name: 'review', uri: 'x' },
      argument: { name: 'code', value: 'a' },
      context: { arguments: { a: 'b' } },
    },
  },
  {
    method: 'completion/complete',
    params: { ref: { type: 'ref/resource', uri: 'notes://{day}' }, argument: { name: 'day', value: 'a' } },
  },
  { method: 'logging/setLevel', params: { level: 'info' } },
  { method: 'tasks/get', params: { taskId: 'a' } },
  { method: 'tasks/result', params: { taskId: 'a' } },
  { method: 'tasks/cancel', params: { taskId: 'a' } },
  { method: 'tasks/list', params: { cursor: 'a' } },
  { method: 'tasks/update', params: { taskId: 'a', inputResponses: { a: { action: 'accept' } } } },
  { method: 'ping', params: {} },
  { method: 'nonsense', params: { a: 1 } },
  { method: 'notifications/cancelled', params: { requestId: 'x', reason: 'y' } },
  { method: 'notifications/progress', params: { progressToken: 'x', progress: 1, total: 2, message: 'z' } },
  { method: 'notifications/roots/list_changed', params: { _meta: {} } },
  { method: 'notifications/tasks/status', params: { taskId: 'a', status: 'working', createdAt: 'x', ttl: null } },
]

/**
 * The value with each of its members, at any depth, in the place of each odd value; and with odd members beside the
 * others.
 */
export function* oddForms(value: unknown, kinds = ODD.length): Generator<unknown> {
  for (const odd of ODD.slice(0, kinds)) yield JSON.parse(odd)
  if (typeof value !== 'object' || value === null) return
  for (const name of Object.keys(value)) {
    for (const inner of oddForms((value as Body)[name], kinds))
      yield Array.isArray(value) ? value.with(Number(name), inner) : { ...value, [name]: inner }
  }
  if (!Array.isArray(value))
    yield {
      ...(JSON.parse('{"__proto__":{"toString":1},"toString":1,"constructor":1,"hasOwnProperty":1}') as Body),
      ...value,
    }
}

/** What the runtime says of a mistake in the program. */
export const RUNTIME_WORDS =
  /Cannot (?:convert|read|set|destructure|mix)|is not (?:a function|iterable|a constructor|defined)|Maximum call stack|Invalid time value/

/**
 * Sends every odd form of every message, and gives those requests that got no answer, or one that blames the server.
 */
export async function badAnswers(
  server: Acceptor,
  version: ProtocolVersion,
  settled: () => Promise<void> = flush,
): Promise<unknown[]> {
  const client = await openRaw(server, version)
  const dressed = (params: Body): Body => (eraOf(version) === 'stateless' ? envelope(version, params) : params)
  const requests = new Map<number, Body>()
  let id = 10_000
  for (const { method, params } of clientMessages) {
    for (const form of oddForms({ method, params: dressed(params) })) {
      if (typeof form !== 'object' || form === null || Array.isArray(form)) continue
      const message = { jsonrpc: '2.0', ...(method.startsWith('notifications/') ? {} : { id: ++id }), ...form }
      if ('id' in message) requests.set(id, message)
      client.send(message)
    }
    await settled()
  }
  const answers = new Map<unknown, Frame[]>()
  for (const frame of client.texts.flatMap((text) => JSON.parse(text) as Frame | Frame[]))
    answers.set(frame.id, [...(answers.get(frame.id) ?? []), frame])
  client.close()
  return [...requests].flatMap(([asked, message]) => {
    const own = answers.get(asked) ?? []
    return isBad(message, own) ? [[JSON.stringify(message), own]] : []
  })
}

/** What a result of a method cannot do without. */
const NEEDED: Readonly<Record<string, string>> = {
  'tools/list': 'tools',
  'tools/call': 'content',
  'prompts/list': 'prompts',
  'prompts/get': 'messages',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'resources/read': 'contents',
}

function isBad({ method }: Body, own: readonly Frame[]): boolean {
  const [answer] = own
  if (
    answer === undefined ||
    own.length > 1 ||
    answer.error?.code === -32603 ||
    RUNTIME_WORDS.test(JSON.stringify(own))
  )
    return true
  const needed = typeof method === 'string' ? NEEDED[method] : undefined
  return (
    needed !== undefined &&
    answer.result !== undefined &&
    answer.result['task'] === undefined &&
    !Array.isArray(answer.result[needed])
  )
}
