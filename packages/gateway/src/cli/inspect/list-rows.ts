/** One line for each tool, resource and prompt of a server. */
import type { JsonSchema, Prompt, Resource, ResourceTemplate, Tool } from 'parley-mcp'
import { cut, oneLine, printable } from '../terminal/text.ts'

export type Row = readonly [name: string, about: string]

const WIDTH = 90

export function toolRow({ name, title, description, inputSchema }: Tool): Row {
  const about = oneLine(description, WIDTH)
  const named = title !== undefined && title !== name ? `${oneLine(title, 40)}${about === '' ? '' : ': '}` : ''
  return [`${oneLine(name, 64)}${inputSummary(inputSchema)}`, `${named}${about}`]
}

export function resourceRow({ uri, name, title, mimeType }: Resource): Row {
  return [oneLine(uri, 120), [oneLine(title ?? name, WIDTH), oneLine(mimeType, 40)].filter(Boolean).join(', ')]
}

export function templateRow({ uriTemplate, name, title, description }: ResourceTemplate): Row {
  return [oneLine(uriTemplate, 120), oneLine(description ?? title ?? name, WIDTH)]
}

export function promptRow({ name, title, description, arguments: args = [] }: Prompt): Row {
  const taken = args.map((each) => `${oneLine(each.name, 30)}${each.required === true ? '' : '?'}`).join(', ')
  return [`${oneLine(name, 64)}(${cut(taken, 60)})`, oneLine(description ?? title, WIDTH)]
}

/** `(city: string, days?: integer)`. */
export function inputSummary(schema: JsonSchema | undefined): string {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, unknown>
    required?: readonly unknown[]
  }
  if (typeof properties !== 'object' || properties === null) return '()'
  const fields = Object.entries(properties).map(
    ([name, property]) =>
      `${name}${Array.isArray(required) && required.includes(name) ? '' : '?'}: ${typeName(property)}`,
  )
  return `(${cut(printable(fields.join(', ')), 80)})`
}

function typeName(schema: unknown): string {
  if (typeof schema !== 'object' || schema === null) return 'any'
  const {
    type,
    enum: choices,
    const: fixed,
    items,
  } = schema as { type?: unknown; enum?: unknown; const?: unknown; items?: unknown }
  if (Array.isArray(choices))
    return (
      choices
        .slice(0, 5)
        .map((each) => JSON.stringify(each))
        .join('|') + (choices.length > 5 ? '|…' : '')
    )
  if (fixed !== undefined) return JSON.stringify(fixed)
  if (type === 'array') return `${typeName(items)}[]`
  if (Array.isArray(type)) return type.join('|')
  return typeof type === 'string' ? type : 'any'
}
