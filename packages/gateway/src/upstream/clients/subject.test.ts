import { expect, it } from 'vitest'
import { subjectOf } from './subject.ts'

it('names what a request is about, if it has a name', () => {
  expect(subjectOf('tools/call', { name: 'a' })).toEqual({ kind: 'tool', name: 'a' })
  expect(subjectOf('completion/complete', { ref: { type: 'ref/prompt', name: 'p' } })).toEqual({
    kind: 'prompt',
    name: 'p',
  })
  for (const odd of [{ toString: 1 }, [{ toString: 1 }], null, 7]) {
    expect(subjectOf('tools/call', { name: odd })).toBeUndefined()
    expect(subjectOf('completion/complete', { ref: { type: odd } })).toBeUndefined()
    expect(subjectOf('completion/complete', { ref: odd })).toBeUndefined()
  }
})
