/** Elicitation by link, for peers that know forms only (C-10, C-11, C-12, C-14). */
import { type Body, isObject } from '../../../jsonrpc/index.ts'
import { refuseRequest } from '../../gap.ts'
import type { Edit } from '../../operation.ts'
import { becomeResult } from '../../verdict.ts'

const URL_ELICITATION_REQUIRED = -32042

/** To an older server, plain elicitation means forms. */
export const formsOnly: Edit = (capabilities, context) => {
  const { elicitation, ...others } = capabilities
  if (!isObject(elicitation) || (elicitation['form'] === undefined && elicitation['url'] === undefined))
    return capabilities
  const { form, url, ...rest } = elicitation
  if (url === undefined || form !== undefined) return { ...others, elicitation: rest }
  context.lose('the client shows links but no forms: an older server may not ask it', { path: 'elicitation' })
  return others
}

export const refuseLinks: Edit = (params, context) => {
  if (params['mode'] === undefined) return params
  const { mode, ...rest } = params
  if (mode === 'form') return rest
  return refuseRequest(
    context,
    `elicitation mode ${JSON.stringify(mode)} is not supported by the client: it speaks protocol 2025-06-18 or older`,
    'C-11',
  )
}

export const showLinks: Edit = (error, context) => {
  if (error['code'] !== URL_ELICITATION_REQUIRED) return error
  context.lose('an error that demands visiting a link became a tool result')
  const data = error['data']
  const elicitations: unknown[] = isObject(data) && Array.isArray(data['elicitations']) ? data['elicitations'] : []
  const lines = [lineOf(error), ...elicitations.filter(isObject).map(lineOf)]
  return becomeResult({ content: [{ type: 'text', text: lines.join('\n') }], isError: true })
}

function lineOf({ message, url }: Body): string {
  return [message, url].filter((part) => typeof part === 'string' && part !== '').join(': ')
}
