import type { Capabilities } from 'parley-mcp'
import { type Introduction, TASKS_EXTENSION } from 'parley-mcp/engine'
import { describe, expect, it } from 'vitest'
import { introductionFor } from './introduction.ts'

const of = (capabilities: Capabilities): Introduction => ({
  info: { name: 'one', version: '1' },
  capabilities,
  instructions: 'Be kind',
})
const RUNS: Capabilities = { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } }
const EXTENDS = { tools: {}, extensions: { [TASKS_EXTENSION]: {} } } as Capabilities

describe('D-41: the introduction of a server for clients', () => {
  it('is the introduction of the server itself', () => {
    expect(introductionFor(of({ tools: {} }), undefined)).toEqual(of({ tools: {} }))
  })

  it('declares tasks for both eras', () => {
    expect(introductionFor(of(RUNS), undefined).capabilities).toEqual({ ...RUNS, ...EXTENDS })
    expect(introductionFor(of(EXTENDS), undefined).capabilities).toEqual({ ...RUNS, ...EXTENDS })
  })

  it('keeps other extensions, and a declaration for both eras', () => {
    const more = { ...RUNS, extensions: { 'x/y': { z: 1 } } } as Capabilities
    expect(introductionFor(of(more), undefined).capabilities).toEqual({
      ...RUNS,
      extensions: { 'x/y': { z: 1 }, [TASKS_EXTENSION]: {} },
    })
    const both = { ...RUNS, ...EXTENDS } as Capabilities
    expect(introductionFor(of(both), undefined).capabilities).toBe(both)
  })

  it('is the same object until something has changed', () => {
    const first = introductionFor(of(RUNS), undefined)
    expect(introductionFor(of(structuredClone(RUNS)), first)).toBe(first)
    expect(introductionFor(of({ tools: {} }), first)).not.toBe(first)
  })
})
