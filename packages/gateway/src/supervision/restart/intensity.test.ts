import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RestartPolicy, RestartSettings } from '../../config/index.ts'
import {
  beginRestarts,
  coolDown,
  FIRST_COOL_DOWN,
  LONGEST_COOL_DOWN,
  RESTART_DELAYS,
  type RestartEvent,
  type RestartState,
  restartDelay,
  stepRestarts,
} from './intensity.ts'

const settings: RestartSettings = { policy: 'permanent', maxRestarts: 3, within: 60_000 }

function after(state: RestartState, ...events: RestartEvent[]): RestartState {
  return events.reduce((now, event) => stepRestarts(now, event)[0], state)
}

function decided(state: RestartState, event: RestartEvent): string {
  const [, decision] = stepRestarts(state, event)
  return decision.type === 'wait' || decision.type === 'refuse' ? `${decision.type} ${decision.until}` : decision.type
}

const crash = (at: number): RestartEvent => ({ type: 'ended', at, abnormal: true })
const start = (at: number): RestartEvent => ({ type: 'started', at })
const tick = (at: number): RestartEvent => ({ type: 'tick', at })

describe('restart policies', () => {
  it.each<[RestartPolicy, boolean, string]>([
    ['permanent', true, 'wait 10'],
    ['permanent', false, 'wait 10'],
    ['transient', true, 'wait 10'],
    ['transient', false, 'rest'],
    ['temporary', true, 'rest'],
    ['temporary', false, 'rest'],
  ])('G: %s, ended abnormally: %s → %s', (policy, abnormal, decision) => {
    const running = after(beginRestarts({ ...settings, policy }), start(0), { type: 'proved', at: 1 })
    expect(decided(running, { type: 'ended', at: 10, abnormal })).toBe(decision)
  })

  it('G: what is not restarted by itself can still be started by whoever needs it', () => {
    for (const abnormal of [true, false]) {
      const ended = after(beginRestarts({ ...settings, policy: 'temporary' }), start(0), {
        type: 'ended',
        at: 10,
        abnormal,
      })
      expect(decided(ended, tick(10))).toBe('start')
    }
  })

  it('G: but crashes on demand count as well, so that demand does not make a crash loop', () => {
    let state = beginRestarts({ ...settings, policy: 'temporary' })
    for (let at = 0; at < 4; at++) state = after(state, tick(at * 5000), start(at * 5000), crash(at * 5000))
    expect(decided(state, tick(15_001))).toBe(`refuse ${15_000 + FIRST_COOL_DOWN}`)
  })
})

describe('one that is there and does not answer', () => {
  const silence = (at: number): RestartEvent => ({ type: 'ended', at, abnormal: true, silent: true })

  it('G: is tried again at once, and given up when it does not answer then either', () => {
    const hung = after(beginRestarts(settings), start(0), { type: 'proved', at: 1 }, silence(1000))
    expect(decided(hung, tick(1000))).toBe('start')
    const again = after(hung, tick(1000), start(1000))
    expect(decided(again, silence(61_000))).toBe(`refuse ${61_000 + FIRST_COOL_DOWN}`)
    // One that ends instead may be tried as often as any other.
    expect(decided(again, crash(5000))).toBe('wait 6000')
  })

  it('G: is tried once after that, and left alone for twice as long', () => {
    const down = after(beginRestarts(settings), start(0), silence(0), tick(0), start(0), silence(60_000))
    const trial = after(down, tick(90_000), start(90_000))
    expect(decided(trial, tick(90_001))).toBe('refuse undefined')
    expect(decided(trial, silence(150_000))).toBe(`refuse ${150_000 + 2 * FIRST_COOL_DOWN}`)
    expect(decided(after(trial, { type: 'proved', at: 91_000 }), tick(91_000))).toBe('start')
  })

  it('G: says nothing about what was started since', () => {
    const since = after(beginRestarts(settings), start(0), crash(0), tick(0), start(0))
    expect(decided(since, { ...silence(10), generation: 0 } as RestartEvent)).toBe('wait undefined')
  })
})

describe('every phase and every event', () => {
  const open = after(beginRestarts(settings), start(0))
  const waiting = after(open, crash(0), tick(0), start(0), crash(100))
  const probing = after(waiting, tick(1100))
  const busy = after(probing, start(1100))
  const down = after({ ...busy, settings: { ...settings, maxRestarts: 0 } }, crash(1200))
  const states = { open, waiting, probing, busy, down }

  it.each<[keyof typeof states, RestartEvent['type'], number, string, string]>([
    ['open', 'tick', 1000, 'open', 'start'],
    ['open', 'started', 1000, 'open', 'start'],
    ['open', 'proved', 1000, 'open', 'start'],
    ['open', 'withdrawn', 1000, 'open', 'start'],
    ['open', 'ended', 1000, 'waiting', 'wait 1000'],
    ['waiting', 'tick', 1099, 'waiting', 'wait 1100'],
    ['waiting', 'tick', 1100, 'probing', 'start'],
    ['waiting', 'started', 1099, 'waiting', 'wait 1100'],
    ['waiting', 'proved', 1099, 'waiting', 'wait 1100'],
    ['waiting', 'withdrawn', 1099, 'waiting', 'wait 1100'],
    ['waiting', 'ended', 1000, 'waiting', 'wait 3000'],
    ['probing', 'tick', 1100, 'probing', 'start'],
    ['probing', 'started', 1100, 'probing', 'wait undefined'],
    ['probing', 'proved', 1100, 'probing', 'start'],
    ['probing', 'withdrawn', 1100, 'probing', 'start'],
    ['probing', 'ended', 1100, 'waiting', 'wait 3100'],
    ['busy', 'tick', 1100, 'probing', 'wait undefined'],
    ['busy', 'started', 1100, 'probing', 'wait undefined'],
    ['busy', 'proved', 1100, 'open', 'start'],
    ['busy', 'withdrawn', 1100, 'probing', 'start'],
    ['busy', 'ended', 1200, 'waiting', 'wait 3200'],
    ['down', 'tick', 31_199, 'given_up', 'refuse 31200'],
    ['down', 'tick', 31_200, 'probing', 'start'],
    ['down', 'started', 1300, 'given_up', 'refuse 31200'],
    ['down', 'proved', 1300, 'given_up', 'refuse 31200'],
    ['down', 'withdrawn', 1300, 'given_up', 'refuse 31200'],
    ['down', 'ended', 1300, 'given_up', 'refuse 61300'],
  ])('G: %s, %s at %i → %s, %s', (name, type, at, phase, decision) => {
    const event = { type, at, abnormal: true } as RestartEvent
    expect(after(states[name], event).phase).toBe(phase)
    expect(decided(states[name], event)).toBe(decision)
  })
})

describe('restart intensity', () => {
  it('G: the first restart is immediate, the next are ever later', () => {
    const delays: number[] = []
    let state = after(beginRestarts({ ...settings, maxRestarts: 100 }), start(0))
    for (let round = 0, at = 0; round < 9; round++) {
      state = after(state, crash(at))
      delays.push(state.until - at)
      at = state.until
      state = after(state, tick(at), start(at))
    }
    expect(delays).toEqual([...RESTART_DELAYS, 30_000, 30_000])
  })

  it('G: after maxRestarts restarts within the window the next end is not followed by another', () => {
    let state = after(beginRestarts(settings), start(0))
    let at = 0
    for (let round = 0; round < settings.maxRestarts; round++) {
      state = after(state, crash(at))
      at = state.until
      state = after(state, tick(at), start(at))
    }
    expect(decided(state, crash(at))).toBe(`refuse ${at + FIRST_COOL_DOWN}`)
  })

  it('G: maxRestarts 0 gives up at the first end', () => {
    expect(decided(after(beginRestarts({ ...settings, maxRestarts: 0 }), start(0)), crash(5))).toBe(
      `refuse ${5 + FIRST_COOL_DOWN}`,
    )
  })

  it('G: restarts further apart than the window go on for ever', () => {
    let state = after(beginRestarts(settings), start(0))
    for (let at = 60_000; at < 3_000_000; at += 60_000) {
      expect(decided(state, crash(at))).toBe(`wait ${at}`)
      state = after(state, crash(at), tick(at), start(at))
    }
  })

  it('G: sessions that one blow ends count once', () => {
    const many = after(beginRestarts(settings), start(0), start(1), start(2), { type: 'proved', at: 3 })
    const ends = [0, 1, 2].map(
      (): RestartEvent => ({ type: 'ended', at: 100, abnormal: true, generation: many.generation }),
    )
    expect(after(many, ...ends)).toEqual(after(many, ends[0] as RestartEvent))
  })
})

describe('after an end', () => {
  const due = after(beginRestarts(settings), start(0), crash(10), tick(10))

  it('G: one start at a time until one has proved itself', () => {
    expect(decided(due, tick(10))).toBe('start')
    const busy = after(due, start(10))
    expect(decided(busy, tick(11))).toBe('wait undefined')
    expect(decided(after(busy, { type: 'proved', at: 12 }), tick(12))).toBe('start')
    expect(decided(after(busy, { type: 'withdrawn', at: 12 }), tick(12))).toBe('start')
  })

  it('G: what an earlier session does is no proof of the new one', () => {
    const busy = after(due, start(10))
    expect(after(busy, { type: 'proved', at: 12, generation: 0 })).toBe(busy)
    expect(after(busy, { type: 'withdrawn', at: 12, generation: 0 })).toBe(busy)
  })
})

describe('the breaker', () => {
  const one: RestartSettings = { ...settings, maxRestarts: 0 }
  const down = after(beginRestarts(one), start(0), crash(0))

  it('G: refuses until the cool-down is over, then allows one trial', () => {
    expect(decided(down, tick(FIRST_COOL_DOWN - 1))).toBe(`refuse ${FIRST_COOL_DOWN}`)
    const trial = after(down, tick(FIRST_COOL_DOWN))
    expect(decided(trial, tick(FIRST_COOL_DOWN))).toBe('start')
    expect(decided(after(trial, start(FIRST_COOL_DOWN)), tick(FIRST_COOL_DOWN))).toBe('refuse undefined')
  })

  it('G: a failed trial doubles the cool-down, up to ten minutes; so does an end soon after a trial that seemed to go well', () => {
    for (const proof of [[], [{ type: 'proved', at: 0 } as const]]) {
      const waits: number[] = []
      let state = down
      for (let round = 0; round < 8; round++) {
        const at = state.until
        state = after(state, tick(at), start(at), ...proof, crash(at + 100))
        waits.push(state.until - at - 100)
      }
      expect(waits).toEqual([
        60_000,
        120_000,
        240_000,
        480_000,
        LONGEST_COOL_DOWN,
        LONGEST_COOL_DOWN,
        LONGEST_COOL_DOWN,
        LONGEST_COOL_DOWN,
      ])
    }
  })

  it('G: a session as long as the window resets everything', () => {
    const at = down.until
    const lasted = after(
      { ...down, settings },
      tick(at),
      start(at),
      { type: 'proved', at },
      crash(at + settings.within),
    )
    expect(lasted).toMatchObject({
      phase: 'waiting',
      until: at + settings.within,
      failures: 1,
      coolDowns: 0,
      onTrial: false,
    })
  })
})

describe('laws', () => {
  const rounds = fc.array(
    fc.record({
      lasts: fc.integer({ min: 0, max: 90_000 }),
      late: fc.integer({ min: 0, max: 5000 }),
      proves: fc.boolean(),
      chance: fc.double({ min: 0, max: 0.999, noNaN: true }),
    }),
    {
      minLength: 1,
      maxLength: 60,
    },
  )
  const anySettings = fc.record({
    policy: fc.constant('permanent' as const),
    maxRestarts: fc.integer({ min: 0, max: 6 }),
    within: fc.integer({ min: 1, max: 120_000 }),
  })

  it('G: never more than maxRestarts automatic starts in any window; trials come only after their cool-down', () => {
    fc.assert(
      fc.property(anySettings, rounds, (restart, lives) => {
        const automatic: number[] = []
        let at = 0
        let state = after(beginRestarts(restart), start(0))
        for (const { lasts, late, proves, chance } of lives) {
          if (proves) state = after(state, { type: 'proved', at })
          at += lasts
          const before = state
          state = after(state, { type: 'ended', at, abnormal: true, chance })
          const trial = state.phase === 'given_up'
          if (trial) expect(state.until - at).toBe(coolDown(state.coolDowns - 1))
          else expect(state.until - at).toBeLessThanOrEqual(36_000)
          expect(state.generation).toBe(before.generation + 1)
          if (state.until > at)
            expect(stepRestarts(state, tick(state.until - 1))[1].type).toBe(trial ? 'refuse' : 'wait')
          at = state.until + late
          state = after(state, tick(at), start(at))
          if (!trial) automatic.push(at)
          const inWindow = automatic.filter((time) => time > at - restart.within)
          expect(inWindow.length).toBeLessThanOrEqual(restart.maxRestarts)
        }
      }),
    )
  })

  it('G: whatever happens in whatever order, somebody gets through again in the end, and nothing grows', () => {
    const events = fc.array(
      fc.record({
        type: fc.constantFrom('tick', 'started', 'proved', 'ended', 'withdrawn'),
        later: fc.integer({ min: 0, max: 40_000 }),
        abnormal: fc.boolean(),
        older: fc.integer({ min: 0, max: 2 }),
      }),
      { maxLength: 80 },
    )
    const policies = fc.constantFrom<RestartPolicy>('permanent', 'transient', 'temporary')
    fc.assert(
      fc.property(policies, events, (policy, list) => {
        let at = 0
        let state = beginRestarts({ ...settings, policy })
        for (const { type, later, abnormal, older } of list) {
          at += later
          state = after(state, { type, at, abnormal, generation: state.generation - older } as RestartEvent)
          expect(state.restarts.length).toBeLessThanOrEqual(settings.maxRestarts + 1)
        }
        const idle = after(state, tick(at + LONGEST_COOL_DOWN), { type: 'withdrawn', at: at + LONGEST_COOL_DOWN })
        expect(decided(idle, tick(at + LONGEST_COOL_DOWN))).toBe('start')
      }),
    )
  })

  it('G: chance adds up to a fifth, and nothing to an immediate restart', () => {
    expect(RESTART_DELAYS.map((_, restart) => restartDelay(restart, 0.5))).toEqual([
      0, 1100, 2200, 4400, 8800, 17_600, 33_000,
    ])
    expect(restartDelay(99, 0)).toBe(30_000)
  })
})
