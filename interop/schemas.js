/** The official JSON Schemas, where PARLEY_SPEC_SCHEMAS names the folder that has them: `VERSION/schema.json`. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'

const folder = process.env.PARLEY_SPEC_SCHEMAS

export const haveSchemas = folder !== undefined && folder !== ''

const fileOf = (version) => join(folder, version, 'schema.json')

export const hasSchema = (version) => typeof version === 'string' && haveSchemas && existsSync(fileOf(version))

const books = new Map()

function bookOf(version) {
  let book = books.get(version)
  if (book === undefined) {
    const schema = JSON.parse(readFileSync(fileOf(version), 'utf8'))
    const where = schema.$defs === undefined ? 'definitions' : '$defs'
    widenAnswers(schema[where])
    const Engine = schema.$schema.includes('2020-12') ? Ajv2020 : Ajv
    // The schemas use formats that say nothing to the engine.
    const engine = new Engine({ strict: false, validateFormats: false }).addSchema(schema, 'spec')
    book = { engine, where, definitions: schema[where], checks: new Map(), names: namesOf(schema[where]) }
    books.set(version, book)
  }
  return book
}

/**
 * The specification lets a form's answers be any numbers; of all of it only the JSON Schema made from it wants
 * integers.
 */
function widenAnswers({ ElicitResult }) {
  const answers = ElicitResult?.properties.content.additionalProperties
  for (const allowed of answers === undefined ? [] : (answers.anyOf ?? [answers])) {
    if (Array.isArray(allowed.type)) allowed.type = allowed.type.map((type) => (type === 'integer' ? 'number' : type))
  }
}

/** Which definition a method's request or notification has. */
function namesOf(definitions) {
  const named = Object.entries(definitions).map(([name, { properties }]) => [properties?.method?.const, name])
  return new Map(named.filter(([method]) => method !== undefined))
}

/** What is wrong with a message of a version, or undefined; `question` is the request that it answers. */
export function flawOf(version, message, question) {
  const { names, definitions } = bookOf(version)
  const method = message.method ?? question?.method
  const name = names.get(method)
  const envelope = envelopeOf(message, definitions)
  const flaw = envelope === undefined ? 'neither request, notification nor answer' : check(version, envelope, message)
  if (flaw !== undefined) return flaw
  if (message.error !== undefined) return flawOfError(version, message)
  if (name === undefined)
    return method === undefined ? 'answers nothing that was asked' : `${version} has no such method`
  return message.method === undefined
    ? check(version, resultOf(name, question, message, definitions), message.result)
    : check(version, name, message)
}

/** Errors whose code has a form of its own. */
function flawOfError(version, message) {
  const { definitions } = bookOf(version)
  const has =
    (code) =>
    ([, { properties }]) =>
      properties?.error?.allOf?.some((part) => part.properties?.code?.const === code)
  const [name] = Object.entries(definitions).find(has(message.error.code)) ?? []
  return name === undefined ? undefined : check(version, name, message)
}

/**
 * Requests that are answered with nothing have no definition for it; some may be answered with questions, or with a
 * task.
 */
function resultOf(request, { params }, { result: { resultType, task } }, definitions) {
  const result = request.replace(/Request$/, 'Result')
  const mayAsk = JSON.stringify(definitions[`${result}Response`] ?? '').includes('/InputRequiredResult"')
  if (mayAsk && resultType === 'input_required') return 'InputRequiredResult'
  if (params?.task !== undefined && task !== undefined && 'CreateTaskResult' in definitions) return 'CreateTaskResult'
  return Object.hasOwn(definitions, result) ? result : 'EmptyResult'
}

function envelopeOf(message, definitions) {
  if (message.method !== undefined) return message.id === undefined ? 'JSONRPCNotification' : 'JSONRPCRequest'
  if (message.error !== undefined)
    return 'JSONRPCErrorResponse' in definitions ? 'JSONRPCErrorResponse' : 'JSONRPCError'
  if (message.result === undefined) return undefined
  return 'JSONRPCResultResponse' in definitions ? 'JSONRPCResultResponse' : 'JSONRPCResponse'
}

function check(version, definition, value) {
  const { engine, where, checks } = bookOf(version)
  let validate = checks.get(definition)
  if (validate === undefined) {
    validate = engine.compile({ $ref: `spec#/${where}/${definition}` })
    checks.set(definition, validate)
  }
  return validate(value)
    ? undefined
    : `${definition} of ${version}: ${engine.errorsText(validate.errors, { dataVar: '' })}`
}
