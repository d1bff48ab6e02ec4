/** Error objects on both sides of 2026-07-28, which reserved a range of codes and gave three of them a meaning. */
import { codeOf, KIND_KEY } from '../../../errors/index.ts'
import { type Body, isObject } from '../../../jsonrpc/index.ts'
import { declares } from '../../../protocol/index.ts'
import type { Edit, EditContext } from '../../operation.ts'
import { becomeResult } from '../../verdict.ts'
import { keepCode, withoutCode } from '../original-code.ts'
import { STATELESS } from './methods.ts'

const RESERVED = { lowest: -32099, highest: -32020 }
const INTERNAL = codeOf('internal_error')
const INVALID_PARAMS = codeOf('invalid_params')
const OLD_NOT_FOUND = codeOf('resource_not_found')
const URL_REQUIRED = codeOf('url_elicitation_required')
const HEADER_MISMATCH = codeOf('header_mismatch', STATELESS)
const MISSING_CAPABILITY = codeOf('missing_client_capability', STATELESS)
const UNSUPPORTED_VERSION = codeOf('unsupported_protocol_version', STATELESS)

/** From a server of the handshake era. */
export const errorUp: Edit = (error, context) => {
  const code = error['code']
  if (typeof code !== 'number') return error
  if (code === OLD_NOT_FOUND) return { ...error, code: codeOf('resource_not_found', STATELESS) }
  if (code === URL_REQUIRED) return urlRequiredUp(error, context)
  return isReserved(code) ? hideCode(error, code, context) : error
}

/** To a client of the handshake era. */
export const errorDown: Edit = (error, context) => {
  switch (error['code']) {
    case INVALID_PARAMS:
      return context.method === 'resources/read' && saysNotFound(error, context.request?.['uri'])
        ? { ...error, code: OLD_NOT_FOUND }
        : error
    case INTERNAL:
      return showCode(error)
    case HEADER_MISMATCH:
      context.lose('the headers of the request did not fit its body', { rule: 'D-59', path: 'code', severity: 'E' })
      return { ...error, code: INTERNAL, data: keepCode(error['data'], HEADER_MISMATCH) }
    case MISSING_CAPABILITY:
      return missingCapabilityDown(error, context)
    case UNSUPPORTED_VERSION:
      context.lose('the server does not serve this version', { rule: 'D-59', path: 'code', severity: 'E' })
      return { ...error, code: codeOf('unsupported_protocol_version') }
    default:
      return error
  }
}

/** D-54: not every -32602 means a missing resource; without proof it stays what it is. */
function saysNotFound(error: Body, uri: unknown): boolean {
  const { data, message } = error
  if (isObject(data) && (data[KIND_KEY] === 'resource_not_found' || (uri !== undefined && data['uri'] === uri)))
    return true
  return typeof message === 'string' && /\bnot[ _-]?found\b/i.test(message)
}

/**
 * D-58 for an error that was not turned into a question. For a client that never declared links this is a missing
 * capability. For other clients that would be wrong.
 */
function urlRequiredUp(error: Body, context: EditContext): Body {
  context.lose('a link the user has to visit cannot be shown', { rule: 'D-58', path: 'code', severity: 'E' })
  if (declares(context.clientCapabilities, 'elicitation.url')) {
    return {
      ...error,
      code: codeOf('url_elicitation_required', STATELESS),
      data: keepCode(error['data'], URL_REQUIRED),
    }
  }
  const data = isObject(error['data']) ? error['data'] : {}
  return { ...error, code: MISSING_CAPABILITY, data: { ...data, requiredCapabilities: { elicitation: { url: {} } } } }
}

/** D-59: a model can tell its user what is missing; a program gets the list. */
function missingCapabilityDown(error: Body, context: EditContext): ReturnType<Edit> {
  const required = isObject(error['data']) ? error['data']['requiredCapabilities'] : undefined
  const named = isObject(required) ? Object.keys(required).join(', ') : ''
  const said = typeof error['message'] === 'string' ? error['message'] : 'Missing required client capability'
  // Some servers say it themselves, and better.
  const told = isObject(required) && Object.keys(required).some((name) => said.includes(`capability "${name}`))
  const message = told
    ? said
    : `${said} (the server needs ${named === '' ? 'more' : named} from a client, which this connection did not declare)`
  context.lose(message, { rule: 'D-59', path: 'code', severity: 'E' })
  if (context.method === 'tools/call')
    return becomeResult({ content: [{ type: 'text', text: message }], isError: true })
  return { ...error, code: INTERNAL, message }
}

function isReserved(code: unknown): code is number {
  return typeof code === 'number' && code >= RESERVED.lowest && code <= RESERVED.highest
}

/** D-5A: in the older version the code had a private meaning, in the newer it would have a public one. */
function hideCode(error: Body, code: number, context: EditContext): Body {
  context.lose(`error code ${code} kept as data`, { rule: 'D-5A', path: 'code' })
  return { ...error, code: INTERNAL, data: keepCode(error['data'], code) }
}

/** D-5A backwards: what was hidden on the way up is shown again on the way down. */
function showCode(error: Body): Body {
  const { data, ...rest } = error
  const code = isObject(data) ? data['originalCode'] : undefined
  if (!isReserved(code) || code === URL_REQUIRED) return error
  const before = withoutCode(data as Body)
  return before === undefined ? { ...rest, code } : { ...rest, code, data: before }
}
