/**
 * The dialect of erlmcp beside 2025-11-25: what both can say comes back as it was, valid, and nothing else is taken
 * away.
 */
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { type Body, isObject } from '../../src/jsonrpc/index.ts'
import { declares } from '../../src/protocol/index.ts'
import { dialect, dialectPlan, type Loss } from '../../src/versions/index.ts'
import { type Case, contextOf, hold, runs } from './cases.ts'
import { emptyFields, essence, type Indifference } from './indifference.ts'
import { judge } from './oracle.ts'

const { version, wireMethod, standardMethod } = dialect('erlmcp')

/** What a reader of both cannot tell apart. */
const indifferent: readonly Indifference[] = [
  {
    rule: 'D',
    why: 'what a client wants of a server is named in the dialect only',
    at: /^initialize params capabilities\.tasks$/,
  },
  {
    rule: 'D',
    why: 'tasks that no request begins are none',
    at: /^initialize result capabilities\.tasks$/,
    as: (tasks) => (declares({ tasks } as never, 'tasks.requests.tools.call') ? tasks : undefined),
  },
  {
    rule: 'D',
    why: 'the dialect does not tell, so the tool is tried',
    at: /^tools\/list result tools\[\]\.execution$/,
  },
  {
    rule: 'D',
    why: 'one block is a list of one',
    at: /^sampling\/createMessage result content$/,
    as: (content) => (Array.isArray(content) && content.length === 1 ? content[0] : content),
  },
  {
    rule: 'D',
    why: 'whoever does not say that there is more has no more',
    at: /^completion\/complete result completion\.hasMore$/,
    as: (more) => more === true || undefined,
  },
  {
    rule: 'D',
    why: 'what is flat has one place for fields nobody knows',
    at: /^completion\/complete result (completion\.)?x-unknown$/,
  },
  {
    rule: 'E3',
    why: 'the name of an error that is known by its code is told with it',
    at: / error data\.parley\/kind$/,
  },
]

interface Journey {
  readonly wire: string
  readonly written: Body | undefined
  readonly read: Body | undefined
  readonly losses: readonly Loss[]
}

function journey(message: Case): Journey {
  const losses: Loss[] = []
  const wire = wireOf(message)
  const context = { ...contextOf(message, losses), now: () => 0 }
  const out = dialectPlan('erlmcp', wire, message.part, 'out')
  const written = out === undefined ? message.body : out(message.body, context)
  const back = dialectPlan('erlmcp', wire, message.part, 'in')
  return { wire, written, read: back === undefined ? written : back(written, context), losses }
}

/** A result that begins a task answers what the dialect asks under another name. */
function wireOf({ method, part, body, request }: Case): string {
  if (part === 'params') return wireMethod(method, body)
  return method === 'tools/call' && isObject(body?.['task']) ? 'tasks/create' : wireMethod(method, request)
}

describe('D round trips', () => {
  it('standard, dialect, standard: the same message, wherever no loss was told or what was kept comes back', () => {
    const compared = hold(version, (message) => {
      const { read, losses } = journey(message)
      if (losses.some(({ rule }) => rule !== 'E3')) return false
      if (isDeepStrictEqual(read, message.body)) return true
      const [before, after] = [message.body, read].map((body) =>
        essence(body, message, indifferent, 'lenient', emptyFields),
      )
      if (!isDeepStrictEqual(after, before)) expect(after).toEqual(before)
      return true
    })
    expect(compared).toBeGreaterThan(runs * 0.9)
  })

  it('names of methods', () => {
    hold(version, (message) => {
      if (message.part !== 'params') return false
      expect(
        standardMethod(wireOf(message), message.method.startsWith('notifications/') ? 'notification' : 'request'),
      ).toBe(message.method)
      return true
    })
  })

  it('what is read back is valid', () => {
    const judged = hold(version, (message) => {
      const { read } = journey(message)
      const flaw = judge(version, message.method, message.part, read)
      if (flaw !== undefined) expect.fail(`${flaw}\n${JSON.stringify(read)}`)
      return true
    })
    expect(judged).toBeGreaterThan(runs * 0.9)
  })
})

/** Everything a reader of the dialect does not get. */
const declared: readonly string[] = [
  'any error code i',
  'elicitation/create task i',
  'notifications/tasks/status status i',
  'sampling/createMessage task i',
  'tasks/cancel status i',
  'tasks/get status i',
  'tasks/list tasks[].status i',
  'tools/call task.status i',
]

describe('D X2 losses', () => {
  it('are told only for tasks that wait for input, questions that were to be tasks, and codes with another meaning', () => {
    const told = new Set<string>()
    hold(version, (message) => {
      for (const { path, severity } of journey(message).losses)
        told.add(
          `${message.part === 'error' ? 'any error' : message.method} ${path.replace(/\[\d+\]/g, '[]')} ${severity}`,
        )
    })
    expect(told).toContain('tasks/get status i')
    for (const one of told) expect(declared).toContain(one)
  })
})
