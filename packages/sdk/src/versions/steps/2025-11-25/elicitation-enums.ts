/**
 * Choices of forms in the vocabulary of 2025-06-18, and the answers to them back in the newer one (C-15, C-16, C-18).
 */
import { type Body, isObject } from '../../../jsonrpc/index.ts'
import { refuseResult } from '../../gap.ts'
import type { Edit, EditContext } from '../../operation.ts'
import { type MultipleChoice, multipleChoices, type Option, titledValues } from './elicitation-options.ts'

/** Titled choices become values with names; multiple choices become one boolean per option. */
export const simplerChoices: Edit = (form, context) => {
  const properties = form['properties']
  if (!isObject(properties)) return form
  const multiple = new Map(multipleChoices(properties).map((choice) => [choice.name, choice]))
  const fields: [string, unknown][] = []
  let changed = false
  for (const [name, schema] of Object.entries(properties)) {
    const choice = multiple.get(name)
    const converted = choice === undefined ? { [name]: namedValues(schema) } : booleans(choice)
    changed ||= choice !== undefined || converted[name] !== schema
    if (choice !== undefined)
      context.lose(`a multiple choice became ${choice.options.length} booleans`, { path: `properties.${name}` })
    fields.push(...Object.entries(converted))
  }
  if (!changed) return form
  const simpler = Object.fromEntries(fields)
  const required = form['required']
  if (multiple.size === 0 || !Array.isArray(required)) return { ...form, properties: simpler }
  return { ...form, properties: simpler, required: required.filter((name) => !multiple.has(name)) }
}

/** `oneOf` looks like any text to an older reader, which would not show the choices. */
function namedValues(schema: unknown): unknown {
  if (!isObject(schema) || schema['type'] !== 'string' || !Array.isArray(schema['oneOf'])) return schema
  const { oneOf: _, ...rest } = schema
  const values = titledValues(schema) as Map<string, string>
  return { ...rest, enum: [...values.keys()], enumNames: [...values.values()] }
}

function booleans({ name, schema, options }: MultipleChoice): Body {
  const chosen = schema['default']
  const description = question(name, schema)
  const field = ({ value, title }: Option): Body => ({
    type: 'boolean',
    title,
    description,
    ...(Array.isArray(chosen) ? { default: chosen.includes(value) } : {}),
  })
  return Object.fromEntries(options.map((option) => [option.key, field(option)]))
}

/** What the options belong to and how many may be taken: a boolean cannot say it otherwise. */
function question(name: string, schema: Body): string {
  const title = typeof schema['title'] === 'string' ? schema['title'] : name
  const description = typeof schema['description'] === 'string' ? `: ${schema['description']}` : ''
  const limits = [limit('at least', schema['minItems']), limit('at most', schema['maxItems'])].filter(
    (text) => text !== '',
  )
  return `${title}${description}${limits.length === 0 ? '' : ` (choose ${limits.join(', ')})`}`
}

const limit = (words: string, count: unknown): string => (typeof count === 'number' ? `${words} ${count}` : '')

/** Reads the booleans of an accepted form as the lists the question asked for. */
export const rebuildChoices: Edit = (result, context) => {
  const form = context.request?.['requestedSchema']
  const content = result['content']
  if (result['action'] !== 'accept' || !isObject(content) || !isObject(form) || !isObject(form['properties']))
    return result
  const choices = multipleChoices(form['properties']).filter((choice) => !Object.hasOwn(content, choice.name))
  if (choices.length === 0) return result
  const rebuilt = { ...content }
  for (const choice of choices) {
    const required = Array.isArray(form['required']) && form['required'].includes(choice.name)
    if (!readChoice(choice, required, rebuilt, context)) {
      const { content: _, ...rest } = result
      return { ...rest, action: 'cancel' }
    }
  }
  return { ...result, content: rebuilt }
}

/** False when the user chose too few or too many. */
function readChoice(
  { name, schema, options }: MultipleChoice,
  required: boolean,
  content: Body,
  context: EditContext,
): boolean {
  const answered = options.some((option) => Object.hasOwn(content, option.key))
  const chosen = options.filter((option) => content[option.key] === true).map((option) => option.value)
  for (const option of options) Reflect.deleteProperty(content, option.key)
  const { minItems, maxItems } = schema
  const tooFew = typeof minItems === 'number' && chosen.length < minItems
  const tooMany = typeof maxItems === 'number' && chosen.length > maxItems
  // Nothing chosen where nothing need be chosen is no answer rather than a wrong one.
  if (!required && chosen.length === 0 && (tooFew || !answered)) return true
  if (tooFew || tooMany) {
    const asked = tooFew ? limit('at least', minItems) : limit('at most', maxItems)
    context.lose(`${chosen.length} options were chosen, ${asked} asked for: taken as cancelled`, {
      path: `content.${name}`,
      severity: 'w',
    })
    return false
  }
  content[name] = chosen
  return true
}

/** Strict: an older reader knows defaults of booleans only. */
export const defaultsAsText: Edit = (form, context) => {
  const properties = form['properties']
  if (!isObject(properties)) return form
  let changed = false
  const fields: [string, unknown][] = []
  for (const [name, schema] of Object.entries(properties)) {
    const inText = isObject(schema) && schema['default'] !== undefined && schema['type'] !== 'boolean'
    changed ||= inText
    fields.push([name, inText ? defaultAsText(schema) : schema])
    if (inText) context.lose('a default moved into the description', { path: `properties.${name}.default` })
  }
  return changed ? { ...form, properties: Object.fromEntries(fields) } : form
}

function defaultAsText(schema: Body): Body {
  const { default: preset, ...rest } = schema
  const note = `(default: ${typeof preset === 'string' ? preset : JSON.stringify(preset)})`
  const description = rest['description']
  return {
    ...rest,
    description: typeof description === 'string' && description !== '' ? `${description} ${note}` : note,
  }
}

export const refuseLists: Edit = (result, context) => {
  const content = result['content']
  if (!isObject(content) || !Object.values(content).some(Array.isArray)) return result
  return refuseResult(
    context,
    'client answered with a list of choices, which protocol 2025-06-18 and older of the server does not have',
    'C-18',
  )
}
