/** A shape describes the values of one location in the configuration: how to read them, and their JSON Schema. */
import type { JsonObject } from 'parley-mcp'
import { type ConfigNode, kindOf, type ScalarNode } from '../documents/document.ts'
import type { ConfigLocation } from './location.ts'
import type { Expansion } from './variables.ts'

export interface Shape<T> {
  readonly schema: JsonObject
  /** Undefined if the value is not usable. The problem has been reported then. */
  read(node: ConfigNode, location: ConfigLocation): T | undefined
}

/** A text with a variable, instead of a value of another type. */
export const PLACEHOLDER: JsonObject = { $ref: '#/$defs/placeholder' }

/** A number or a switch only needs quotes to be a text. The message does not show the value: it may be a secret. */
export function rejectForText(node: ConfigNode, location: ConfigLocation, example: string): undefined {
  if (node.kind !== 'scalar' || node.value === null) return rejectKind(node, location, 'a text', example)
  location.problem(node.at, `Must be a text, but is ${kindOf(node)}.`, 'Put it in quotes.')
  return undefined
}

export function isText(node: ConfigNode): node is ScalarNode & { readonly value: string } {
  return node.kind === 'scalar' && typeof node.value === 'string'
}

export function rejectKind(node: ConfigNode, location: ConfigLocation, wanted: string, example: string): undefined {
  const empty = node.kind === 'scalar' && node.value === null
  location.problem(
    node.at,
    `Must be ${wanted}, but is ${kindOf(node)}.`,
    empty ? `Remove the key, or write a value, such as ${example}.` : `Write for example ${example}.`,
  )
  return undefined
}

/** For values that are not texts: the content of a variable counts as a value without quotes. */
export function expandVariable(node: ConfigNode, location: ConfigLocation): Expansion | undefined | 'not a variable' {
  if (!isText(node)) return 'not a variable'
  const expansion = location.expand(node)
  return expansion === undefined || expansion.filled ? expansion : 'not a variable'
}
