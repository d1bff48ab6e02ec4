/** Multi-round requests of 2026-07-28: what a server asks for inside a result, and what comes back inside a request. */
import fc from 'fast-check'
import { root } from './catalogue.ts'
import { elicitationParams, elicitationResult, formParams } from './elicitation.ts'
import { result } from './envelope.ts'
import { samplingParams, samplingResult } from './sampling.ts'
import { closed, type Fields, meta, type ObjectArb, open, V26 } from './shape.ts'
import { listOf, text, word } from './values.ts'

const question = fc.oneof(
  closed({ method: fc.constant('elicitation/create'), params: elicitationParams(V26) }),
  closed({ method: fc.constant('sampling/createMessage'), params: samplingParams(V26) }),
  closed({ method: fc.constant('roots/list') }, { params: closed({}, { _meta: meta }) }),
)

const response = fc.oneof(
  formParams(V26).chain((form) => elicitationResult(V26, form)),
  samplingResult(V26),
  open({ roots: listOf(root(V26), 2) }),
)

const asks = (required: Fields, optional: Fields): ObjectArb =>
  result(V26, { ...required }, optional).map((body) => ({ ...body, resultType: 'input_required' }))

export const inputRequired: ObjectArb = fc.oneof(
  asks({ inputRequests: fc.dictionary(word, question, { minKeys: 1, maxKeys: 2 }) }, { requestState: text }),
  asks({ requestState: text }, {}),
)

export const roundFields: Fields = { inputResponses: fc.dictionary(word, response, { maxKeys: 2 }), requestState: text }
