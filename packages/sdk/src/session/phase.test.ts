import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  admissions,
  admits,
  clientTransitions,
  next,
  type Phase,
  PhaseMachine,
  phaseEvents,
  serverTransitions,
} from './phase.ts'

const tables = { client: clientTransitions, server: serverTransitions } as const
const sides = ['client', 'server'] as const

/** Written out again by hand, so that a slip in the table shows. */
const expected: Record<'client' | 'server', Record<string, Record<string, string>>> = {
  client: {
    pre_initialization: { initialize: 'initializing', close: 'closed' },
    initializing: { accept: 'initialized', fail: 'error', close: 'closed' },
    initialized: { close: 'closed' },
    error: { close: 'closed' },
    closed: {},
  },
  server: {
    initialization: { initialize: 'initialized', close: 'closed' },
    initialized: { accept: 'ready', close: 'closed' },
    ready: { shutdown: 'shutting_down', close: 'closed' },
    shutting_down: { close: 'closed' },
    closed: {},
  },
}

describe('L1 phases: every phase with every event', () => {
  for (const side of sides) {
    it(`${side} has just the phases of the table`, () => {
      expect(Object.keys(tables[side])).toEqual(Object.keys(expected[side]))
    })
    for (const phase of Object.keys(tables[side]) as Phase[]) {
      for (const event of phaseEvents) {
        const to = expected[side][phase]?.[event]
        it(`${side} ${phase} + ${event} → ${to ?? 'refused'}`, () => {
          expect(next(side, phase, event)).toBe(to)
        })
      }
    }
  }

  it('any walk stays in the table, is remembered with its times, and ends in closed', () => {
    fc.assert(
      fc.property(fc.constantFrom(...sides), fc.array(fc.constantFrom(...phaseEvents)), (side, events) => {
        const machine = new PhaseMachine(
          side,
          0,
          () => {},
          () => {},
        )
        let now = 0
        for (const event of events) {
          const before = machine.current
          const moved = machine.fire(event, ++now)
          expect(moved).toBe(expected[side][before]?.[event] !== undefined)
          expect(machine.current).toBe(expected[side][before]?.[event] ?? before)
        }
        for (let at = 1; at < machine.history.length; at++) {
          const [from, to] = [machine.history[at - 1], machine.history[at]]
          expect(expected[side][from?.phase ?? '']?.[to?.event ?? '']).toBe(to?.phase)
          expect(to?.at).toBeGreaterThan(from?.at ?? 0)
        }
        machine.fire('close', ++now)
        expect(machine.current).toBe('closed')
      }),
    )
  })

  it('observers are told, may leave, and one that throws harms nobody', () => {
    const errors: unknown[] = []
    const machine = new PhaseMachine(
      'server',
      0,
      () => {},
      (error) => errors.push(error),
    )
    const seen: string[] = []
    machine.observe(() => {
      throw new Error('broken observer')
    })
    const leave = machine.observe(({ from, to, event, at }) => seen.push(`${from} -${event}-> ${to} @${at}`))
    machine.fire('initialize', 5)
    leave()
    machine.fire('accept', 6)
    expect(seen).toEqual(['initialization -initialize-> initialized @5'])
    expect(errors).toHaveLength(2)
  })
})

describe('L3 admission: what is answered in which phase', () => {
  const methods = ['initialize', 'ping', 'tools/call']
  const allowed: Record<string, string[]> = {
    'server initialization': ['initialize', 'ping'],
    'server initialized': ['ping', 'tools/call'],
    'server ready': ['ping', 'tools/call'],
    'server shutting_down': ['ping'],
    'server closed': [],
    'client pre_initialization': ['ping'],
    'client initializing': ['ping'],
    'client initialized': ['ping', 'tools/call'],
    'client error': [],
    'client closed': [],
  }
  for (const side of sides) {
    for (const phase of Object.keys(admissions[side]) as Phase[]) {
      it(`${side} ${phase}`, () => {
        expect(methods.filter((method) => admits(side, phase, method))).toEqual(allowed[`${side} ${phase}`])
      })
    }
  }
  it('a phase nobody knows admits nothing', () => {
    expect(admits('server', 'initializing', 'ping')).toBe(false)
  })
})
