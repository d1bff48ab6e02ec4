/** Names of methods that erlmcp writes otherwise than 2025-11-25 (D). */
import { type Body, isObject } from '../../jsonrpc/index.ts'
import type { MethodKind } from './dialect.ts'

const PREFIX = 'notifications/'

/** Notices that travel without their prefix. */
const BARE: readonly string[] = [
  'resources/updated',
  'resources/list_changed',
  'tools/list_changed',
  'prompts/list_changed',
  'roots/list_changed',
]

const wireNames: ReadonlyMap<string, string> = new Map(BARE.map((name) => [`${PREFIX}${name}`, name]))

const standardNames: Readonly<Record<MethodKind, ReadonlyMap<string, string>>> = {
  request: new Map([['tasks/create', 'tools/call']]),
  notification: new Map([
    ...BARE.map((name) => [name, `${PREFIX}${name}`] as const),
    // Names that are read and never written: older papers on erlmcp have them.
    ['initialized', 'notifications/initialized'],
    ['requests/cancel', 'notifications/cancelled'],
  ]),
}

/** A call that is to run as a task is a request of its own. */
export function wireMethod(method: string, params: Body | undefined): string {
  if (method === 'tools/call') return isObject(params?.['task']) ? 'tasks/create' : method
  return wireNames.get(method) ?? method
}

export function standardMethod(wire: string, kind: MethodKind): string {
  return standardNames[kind].get(wire) ?? wire
}
