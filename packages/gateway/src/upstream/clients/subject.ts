/** What a request is about, and at which server. For audits and counters. */
import { type Body, isObject } from 'parley-mcp/engine'

export interface Subject {
  readonly kind: 'tool' | 'prompt' | 'resource' | 'task'
  /** The name, URI or id that the client uses. */
  readonly name: string
}

export interface Location {
  readonly server: string
  /** What the subject is called at the server. */
  readonly nameAtServer?: string | undefined
}

const SUBJECTS: Readonly<Record<string, readonly [kind: Subject['kind'], key: string]>> = {
  'tools/call': ['tool', 'name'],
  'prompts/get': ['prompt', 'name'],
  'resources/read': ['resource', 'uri'],
  'resources/subscribe': ['resource', 'uri'],
  'resources/unsubscribe': ['resource', 'uri'],
  'ref/prompt': ['prompt', 'name'],
  'ref/resource': ['resource', 'uri'],
}

/** `undefined`: the request is about the whole server, or the subject is unknown. */
export function subjectOf(method: string, params: Body | undefined): Subject | undefined {
  if (method === 'completion/complete') {
    const ref = params?.['ref']
    return isObject(ref) && typeof ref['type'] === 'string' ? subjectOf(ref['type'], ref) : undefined
  }
  const [kind, key] = method.startsWith('tasks/')
    ? (['task', 'taskId'] as const)
    : ((Object.hasOwn(SUBJECTS, method) ? SUBJECTS[method] : undefined) ?? [])
  const name = key === undefined ? undefined : params?.[key]
  return kind === undefined || typeof name !== 'string' ? undefined : { kind, name }
}
