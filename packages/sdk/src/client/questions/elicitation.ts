/** Answers a question of the server to the user. Checks the question and the answer, and fills in defaults. */
import { ParleyError } from '../../errors/index.ts'
import { isObject } from '../../jsonrpc/index.ts'
import type { ElicitAction, ElicitResult, ElicitValue, FormSchema } from '../../protocol/index.ts'
import { describeIssues, validateJson } from '../../schema/index.ts'
import type { Identity, Inbound } from '../../session/index.ts'

/** One question to the user. */
export interface ElicitQuestion {
  readonly mode: 'form' | 'url'
  readonly message: string
  /** The form: a flat object schema. Undefined in `url` mode. */
  readonly schema: FormSchema | undefined
  /** The page to open, if the user agrees. Only in `url` mode. */
  readonly url: string | undefined
  /** The server's key for this question, if the version has one. */
  readonly key: string | undefined
  /** The server that asks. */
  readonly server: Identity | undefined
  /** Aborted when the server cancels the question. */
  readonly signal: AbortSignal
}

type Content = Record<string, ElicitValue>

/** The content that a handler returns. An undefined field was not filled in. */
type GivenContent = Record<string, ElicitValue | undefined>

/** An action with content. Content alone means `accept`, `undefined` means `cancel`. */
export type ElicitReply = { action: ElicitAction; content?: GivenContent } | GivenContent | ElicitAction | undefined

export type ElicitHandler = (question: ElicitQuestion) => ElicitReply | Promise<ElicitReply>

/** One handler for both modes, or one for each supported mode. */
export type ElicitOption = ElicitHandler | { form?: ElicitHandler; url?: ElicitHandler }

export function elicitHandlers(option: ElicitOption | undefined): { form?: ElicitHandler; url?: ElicitHandler } {
  return typeof option === 'function' ? { form: option, url: option } : (option ?? {})
}

class Question implements ElicitQuestion {
  readonly mode: 'form' | 'url'
  readonly message: string
  readonly schema: FormSchema | undefined
  readonly url: string | undefined
  readonly key: string | undefined
  readonly #inbound: Inbound

  constructor(inbound: Inbound) {
    const { mode = 'form', message, requestedSchema, url, elicitationId } = inbound.params
    if (mode !== 'form' && mode !== 'url') throw invalid('"mode" must be "form" or "url"')
    if (typeof message !== 'string') throw invalid('"message" must be a string')
    this.mode = mode
    this.message = message
    this.schema = mode === 'form' ? formOf(requestedSchema) : undefined
    this.url = mode === 'url' ? addressOf(url) : undefined
    this.key = typeof elicitationId === 'string' ? elicitationId : questionKey(inbound)
    this.#inbound = inbound
  }

  get server(): Identity | undefined {
    return this.#inbound.session.peer?.info
  }

  /** A getter, because most handlers do not use it. */
  get signal(): AbortSignal {
    return this.#inbound.signal
  }
}

/** D-20: a question inside a result has the key that the server gave it. */
function questionKey({ id, session }: Inbound): string | undefined {
  return session.era === 'stateless' ? String(id) : undefined
}

export async function answerElicitation(
  inbound: Inbound,
  handlers: { form?: ElicitHandler; url?: ElicitHandler },
): Promise<ElicitResult> {
  const question = new Question(inbound)
  const handler = handlers[question.mode]
  if (handler === undefined) throw invalid(`this client does not offer mode "${question.mode}"`)
  const { action, content } = readReply(await handler(question), question.schema)
  if (action !== 'accept' || question.schema === undefined) return { action }
  return { action, content: await complete(question.schema, content ?? {}) }
}

const ACTIONS: readonly unknown[] = ['accept', 'decline', 'cancel']

function readReply(
  reply: ElicitReply,
  schema: FormSchema | undefined,
): { action: ElicitAction; content?: GivenContent } {
  if (reply === undefined || reply === null) return { action: 'cancel' }
  if (typeof reply === 'string') {
    if (ACTIONS.includes(reply)) return { action: reply }
    throw invalidReply(`"${String(reply).slice(0, 40)}" is not an action; expected accept, decline or cancel`)
  }
  if (!isObject(reply)) throw invalidReply('expected an action, content, or both')
  return hasAction(reply, schema)
    ? (reply as { action: ElicitAction; content?: GivenContent })
    : { action: 'accept', content: reply as GivenContent }
}

/** Content may have its own field "action". Then only a "content" beside it shows that this is an action. */
function hasAction(reply: Record<string, unknown>, schema: FormSchema | undefined): boolean {
  if (!ACTIONS.includes(reply['action'])) return false
  return isObject(reply['content']) || schema === undefined || !Object.hasOwn(schema.properties, 'action')
}

/** Fills in the defaults of the form (F6) and checks the content. */
async function complete(schema: FormSchema, given: GivenContent): Promise<Content> {
  if (!isObject(given)) throw invalidReply('content must be an object')
  const content = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Content
  for (const [field, { default: value }] of Object.entries(schema.properties)) {
    if (value !== undefined && !Object.hasOwn(content, field)) content[field] = structuredClone(value)
  }
  for (const [field, value] of Object.entries(content)) {
    if (!isFieldValue(value)) throw invalidReply(`${field} must be a string, a number, a boolean or a list of strings`)
  }
  const validated = await validateJson(schema, content)
  if (!validated.ok) throw invalidReply(describeIssues(validated.issues))
  return content
}

function isFieldValue(value: unknown): value is ElicitValue {
  if (Array.isArray(value)) return value.every((item) => typeof item === 'string')
  return (
    typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
  )
}

function formOf(schema: unknown): FormSchema {
  if (!isObject(schema) || schema['type'] !== 'object' || !isObject(schema['properties'])) {
    throw invalid('"requestedSchema" must be an object schema with "properties"')
  }
  for (const [field, property] of Object.entries(schema['properties'])) {
    if (!isObject(property) || !FIELD_TYPES.includes(property['type']))
      throw invalid(`field "${field.slice(0, 64)}" is not of a primitive type`)
  }
  return schema as FormSchema
}

const FIELD_TYPES: readonly unknown[] = ['string', 'number', 'integer', 'boolean', 'array']

function addressOf(url: unknown): string {
  if (typeof url === 'string' && URL.canParse(url)) return url
  throw invalid('"url" must be a valid URL')
}

function invalid(reason: string): ParleyError {
  return new ParleyError('invalid_params', { message: `Invalid elicitation request: ${reason}` })
}

/** The question was valid, but the answer of the handler is not. */
function invalidReply(reason: string): ParleyError {
  return new ParleyError('invalid_answer', { message: `The answer does not fit the requested form: ${reason}` })
}
