/**
 * Elicitation, sampling and roots: requests of their own in the handshake era, questions inside a result since
 * 2026-07-28.
 */
import type { Edit } from '../../operation.ts'
import { without } from '../without.ts'

/** D-48: the id only served to announce that the visit is over, and nothing announces that any more. */
export const removeElicitationId: Edit = (params) => {
  return params['mode'] === 'url' ? without(params, 'elicitationId') : params
}

/** D-48: a client of 2025-11-25 demands an id, and must not be able to guess those of others. */
export const mintElicitationId: Edit = (params, context) => {
  if (params['mode'] !== 'url' || typeof params['elicitationId'] === 'string') return params
  return { ...params, elicitationId: context.mint?.() ?? crypto.randomUUID() }
}
