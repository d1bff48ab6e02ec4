/**
 * What a method is, and the methods of the oldest version; later versions add and remove theirs in `versions/steps`.
 */

export type Side = 'client' | 'server'

/** `embedded` methods are no messages of their own but travel inside a result. */
export type Sender = Side | 'both' | 'embedded'

/** A declared capability, written `side.path`: `server.resources.subscribe`. */
export type CapabilityPath = `${Side}.${string}`

export interface MethodInfo {
  readonly name: string
  readonly kind: 'request' | 'notification'
  readonly from: Sender
  /** By sender: what must have been declared before the method may be sent. */
  readonly needs?: Partial<Record<Side, CapabilityPath>>
}

export function request(name: string, from: Sender, needs?: MethodInfo['needs']): MethodInfo {
  return needs === undefined ? { name, kind: 'request', from } : { name, kind: 'request', from, needs }
}

export function notification(name: string, from: Sender, needs?: MethodInfo['needs']): MethodInfo {
  return needs === undefined ? { name, kind: 'notification', from } : { name, kind: 'notification', from, needs }
}

/** True when `side` may send the method as a message of its own. */
export function maySend(method: MethodInfo, side: Side): boolean {
  return method.from === side || method.from === 'both'
}

/** The methods of 2024-11-05. */
export const baseMethods: readonly MethodInfo[] = [
  request('initialize', 'client'),
  request('ping', 'both'),
  request('tools/list', 'client', { client: 'server.tools' }),
  request('tools/call', 'client', { client: 'server.tools' }),
  request('prompts/list', 'client', { client: 'server.prompts' }),
  request('prompts/get', 'client', { client: 'server.prompts' }),
  request('resources/list', 'client', { client: 'server.resources' }),
  request('resources/templates/list', 'client', { client: 'server.resources' }),
  request('resources/read', 'client', { client: 'server.resources' }),
  request('resources/subscribe', 'client', { client: 'server.resources.subscribe' }),
  request('resources/unsubscribe', 'client', { client: 'server.resources.subscribe' }),
  request('completion/complete', 'client'),
  request('logging/setLevel', 'client', { client: 'server.logging' }),
  request('sampling/createMessage', 'server', { server: 'client.sampling' }),
  request('roots/list', 'server', { server: 'client.roots' }),
  notification('notifications/initialized', 'client'),
  notification('notifications/cancelled', 'both'),
  notification('notifications/progress', 'both'),
  notification('notifications/message', 'server', { server: 'server.logging' }),
  notification('notifications/tools/list_changed', 'server', { server: 'server.tools.listChanged' }),
  notification('notifications/prompts/list_changed', 'server', { server: 'server.prompts.listChanged' }),
  notification('notifications/resources/list_changed', 'server', { server: 'server.resources.listChanged' }),
  notification('notifications/resources/updated', 'server', { server: 'server.resources.subscribe' }),
  notification('notifications/roots/list_changed', 'client', { client: 'client.roots.listChanged' }),
]
