/** A clock that only moves when a test advances it. */
import type { Clock } from '../session/index.ts'

export interface FakeClock extends Clock {
  /** Advances by `ms`. Runs due timers in order, and lets the microtasks that follow settle. */
  advance(ms: number): Promise<void>
  /** The number of waiting timers. */
  readonly pending: number
}

interface FakeTimer {
  readonly due: number
  readonly order: number
  readonly task: () => void
}

export function fakeClock(start = Date.UTC(2026, 0, 1)): FakeClock {
  const timers = new Set<FakeTimer>()
  let now = start
  let count = 0

  const nextDue = (until: number): FakeTimer | undefined => {
    let first: FakeTimer | undefined
    for (const timer of timers) {
      if (
        timer.due <= until &&
        (first === undefined || timer.due < first.due || (timer.due === first.due && timer.order < first.order))
      )
        first = timer
    }
    return first
  }

  return {
    now: () => now,
    after(ms, task) {
      const timer: FakeTimer = { due: now + Math.max(0, ms), order: count++, task }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    async advance(ms) {
      const until = now + ms
      for (let timer = nextDue(until); timer !== undefined; timer = nextDue(until)) {
        timers.delete(timer)
        now = timer.due
        timer.task()
        await flush()
      }
      now = until
      await flush()
    },
    get pending() {
      return timers.size
    },
  }
}

/** Resolves when all microtasks have run, so that all messages in memory are delivered. */
export function flush(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0))
}
