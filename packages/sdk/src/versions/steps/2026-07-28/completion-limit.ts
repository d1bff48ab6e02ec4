/** The most suggestions a completion may hold: recommended in the handshake era, enforced since 2026-07-28. */
import type { Edit } from '../../operation.ts'

const MOST_VALUES = 100

/** D-51: takes `completion` of a result. */
export const limitCompletion: Edit = (completion, context) => {
  const values = completion['values']
  if (!Array.isArray(values) || values.length <= MOST_VALUES) return completion
  context.lose(`kept ${MOST_VALUES} of ${values.length} values`, { rule: 'D-51', path: 'values' })
  return {
    ...completion,
    values: values.slice(0, MOST_VALUES),
    hasMore: true,
    total: Number.isInteger(completion['total']) ? completion['total'] : values.length,
  }
}
