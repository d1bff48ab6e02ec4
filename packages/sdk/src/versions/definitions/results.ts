/**
 * Results as clients of a version can read them: what is missing or of the wrong type is mended where that does no
 * harm.
 */
import { ParleyError } from '../../errors/index.ts'
import { type Body, isObject } from '../../jsonrpc/index.ts'
import { supports } from '../methods.ts'
import type { EditContext, Loss } from '../operation.ts'
import { limitCompletion } from '../steps/2026-07-28/completion-limit.ts'
import { without } from '../steps/without.ts'
import { newestVersion, type ProtocolVersion } from '../version.ts'

/** The rule under which these losses are reported. */
const RESULT_RULE = 'R-02'

/** What is wrong, how it is reported, and where. */
type Lose = (detail: string, path: string, more?: { rule?: string; severity?: Loss['severity'] }) => void

/**
 * The same reference when nothing is wrong. Only members of the result itself are looked at: every call comes by here.
 */
type Check = (result: Body, version: ProtocolVersion, lose: Lose) => Body

const CHECKS: Readonly<Record<string, Check>> = {
  'tools/call': callResult,
  'prompts/get': promptResult,
  'resources/read': readResult,
  'completion/complete': completionResult,
}

export interface ReadableResult {
  readonly result: Body
  readonly losses: readonly Loss[]
}

/**
 * `version`: in whose vocabulary the result is. `undefined` when nothing is wrong; throws `invalid_answer` for what is
 * no result of the method.
 */
export function readableResult(
  method: string,
  given: Body,
  version: ProtocolVersion = newestVersion,
): ReadableResult | undefined {
  const check = Object.hasOwn(CHECKS, method) ? CHECKS[method] : undefined
  if (check === undefined || isSomethingElse(given)) return undefined
  let losses: Loss[] | undefined
  const lose: Lose = (detail, path, { rule = RESULT_RULE, severity = 'w' } = {}) => {
    losses ??= []
    losses.push({ rule, method, path, severity, detail })
  }
  const result = check(withMetadataAsObject(given, lose), version, lose)
  return losses === undefined ? undefined : { result, losses }
}

/** A task, or questions, in place of a result. */
function isSomethingElse({ resultType = 'complete', task }: Body): boolean {
  return resultType !== 'complete' || isObject(task)
}

function withMetadataAsObject(result: Body, lose: Lose): Body {
  if (result['_meta'] === undefined || isObject(result['_meta'])) return result
  lose('removed metadata that is no object', '_meta', { severity: 'i' })
  return without(result, '_meta')
}

function noResult(method: string, member: string): ParleyError {
  return new ParleyError('invalid_answer', {
    message: `The answer to ${method} is no result of it: it has no list of ${member}`,
  })
}

function callResult(given: Body, version: ProtocolVersion, lose: Lose): Body {
  const result = withErrorFlag(withStructured(given, version, lose), lose)
  const { content, structuredContent = given['structuredContent'] } = result
  if (Array.isArray(content)) return result
  if (content === undefined || content === null) {
    lose('there was no content', 'content')
    return { ...result, content: structuredContent === undefined ? [] : [textBlock(JSON.stringify(structuredContent))] }
  }
  if (typeof content !== 'string' && !(isObject(content) && typeof content['type'] === 'string'))
    throw noResult('tools/call', 'content')
  lose('the content was no list', 'content', { severity: 'i' })
  return { ...result, content: [typeof content === 'string' ? textBlock(content) : content] }
}

function textBlock(text: string): Body {
  return { type: 'text', text }
}

/** D-43: before 2026-07-28 it is an object. */
function withStructured(result: Body, version: ProtocolVersion, lose: Lose): Body {
  const { structuredContent } = result
  if (structuredContent === undefined || isObject(structuredContent) || supports(version, 'structured-values'))
    return result
  lose('removed structured content that is no object', 'structuredContent')
  return without(result, 'structuredContent')
}

function withErrorFlag(result: Body, lose: Lose): Body {
  const { isError } = result
  if (isError === undefined || typeof isError === 'boolean') return result
  lose('"isError" was neither true nor false', 'isError', { severity: 'i' })
  return { ...result, isError: Boolean(isError) }
}

function promptResult(given: Body, _version: ProtocolVersion, lose: Lose): Body {
  let result = given
  if (result['description'] !== undefined && typeof result['description'] !== 'string') {
    lose('removed a description that is no text', 'description', { severity: 'i' })
    result = without(result, 'description')
  }
  const { messages } = result
  if (Array.isArray(messages)) return result
  if (messages !== undefined && messages !== null) throw noResult('prompts/get', 'messages')
  lose('there were no messages', 'messages')
  return { ...result, messages: [] }
}

function readResult(result: Body, _version: ProtocolVersion, lose: Lose): Body {
  const { contents } = result
  if (Array.isArray(contents)) return result
  if (!isObject(contents)) throw noResult('resources/read', 'contents')
  lose('the contents were no list', 'contents', { severity: 'i' })
  return { ...result, contents: [contents] }
}

/** Suggestions are a help: without any, nothing is lost that a client needs. */
function completionResult(result: Body, _version: ProtocolVersion, lose: Lose): Body {
  const { completion } = result
  if (!isObject(completion) || !Array.isArray(completion['values'])) {
    lose('there was no list of values', 'completion.values')
    return { ...result, completion: { values: [] } }
  }
  const context = {
    lose: (detail: string, { rule, path }: { rule?: string; path?: string } = {}) =>
      lose(detail, `completion.${path}`, { severity: 'i', ...(rule !== undefined && { rule }) }),
  } as EditContext
  const limited = limitCompletion(completion, context) as Body
  return limited === completion ? result : { ...result, completion: limited }
}
