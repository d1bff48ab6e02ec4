/** What tests ask and answer with, and what a client of the stateless era is shown instead of an answer. */
import type { Body } from 'parley-mcp/engine'
import { expect } from 'vitest'
import type { RawMessage } from './peers.fixtures.ts'

export const form = (message: string): Body => ({
  message,
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
})
export const sample: Body = { messages: [{ role: 'user', content: { type: 'text', text: 'Well?' } }], maxTokens: 5 }
export const accept = (name: string): Body => ({ action: 'accept', content: { name } })

export interface Shown {
  readonly keys: string[]
  readonly requests: Record<string, { method: string; params: Body }>
  readonly state: string
}

export function shown({ result }: RawMessage): Shown {
  expect(result?.['resultType']).toBe('input_required')
  const requests = (result?.['inputRequests'] ?? {}) as Shown['requests']
  return { keys: Object.keys(requests), requests, state: result?.['requestState'] as string }
}
