/** Which requests do no harm when they are made twice. */

/**
 * They only read, or leave the same state behind however often they are made. A stream is none of them: whoever listens
 * opens another one.
 */
const REPEATABLE: ReadonlySet<string> = new Set([
  'ping',
  'server/discover',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/directory/read',
  'skills/list',
  'skills/get',
  'resources/subscribe',
  'resources/unsubscribe',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'logging/setLevel',
  'tasks/get',
  'tasks/result',
  'tasks/update',
  'tasks/list',
])

/** Tools are repeatable when the server says so in their annotations. */
export function isRepeatable(
  method: string,
  params: Record<string, unknown> | undefined,
  isRepeatableTool: (name: string) => boolean,
): boolean {
  if (method !== 'tools/call') return REPEATABLE.has(method)
  const name = params?.['name']
  return typeof name === 'string' && isRepeatableTool(name)
}
