import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Activity,
  Holders,
  holderOf,
  networkOf,
  type SessionUse,
  sessionToEnd,
  UNANSWERED,
} from './making-room.ts'

const NOW = 10_000_000

/** A session, by the name of who has it. */
type Use = Omit<SessionUse, 'holder'> & { readonly holder: string }

interface Named extends Use {
  readonly name: string
}

/** Which of them makes room for one more of `newcomer`. */
function chosenOf<T extends Use>(all: readonly T[], newcomer: string): T | undefined {
  const holders = new Holders()
  const sessions = all.map((each) => ({ ...each, holder: holders.enter(each.holder), given: each }))
  return sessionToEnd(sessions, holders, newcomer, NOW)?.given
}

/** Silent for so many seconds; used, and idle, unless it says otherwise. */
function use(name: string, holder: string, silent: number, more: Partial<Use> = {}): Named {
  return {
    name,
    holder,
    isOpen: true,
    isUsed: true,
    lastUsedAt: NOW - silent * 1000,
    activity: 'idle',
    askedAt: 0,
    ...more,
  }
}

const UNUSED = { isUsed: false }
const UNOPENED = { isUsed: false, isOpen: false }
const doing = (activity: Activity): Partial<Use> => ({ activity })

describe('L2 which session makes room', () => {
  it.each<[string, Named[], string, string | undefined]>([
    ['of one holder, the one silent longest', [use('a', 'x', 5), use('b', 'x', 9), use('c', 'x', 7)], 'x', 'b'],
    [
      'one that was never used before those that were, however young',
      [use('a', 'x', 900), use('b', 'x', 0, UNUSED)],
      'x',
      'b',
    ],
    [
      'one without a complete handshake before all others',
      [use('a', 'x', 900, UNUSED), use('b', 'x', 0, UNOPENED), use('c', 'x', 1000)],
      'x',
      'b',
    ],
    ['of several that were never used, the oldest', [use('a', 'x', 1, UNUSED), use('b', 'x', 2, UNUSED)], 'x', 'b'],
    [
      'of the holder that has the most, however silent others are',
      [use('a', 'x', 1), use('b', 'x', 2), use('c', 'y', 900)],
      'z',
      'b',
    ],
    [
      'never used ones of another holder stay as well',
      [use('a', 'x', 1), use('b', 'x', 2), use('c', 'y', 900, UNOPENED)],
      'z',
      'b',
    ],
    ['the newcomer counts: with as many as others, its own goes', [use('a', 'x', 1), use('b', 'y', 900)], 'x', 'a'],
    ['of holders with as many, the one silent longest', [use('a', 'x', 1), use('b', 'y', 900)], 'z', 'b'],
    ['one that works stays, however silent', [use('a', 'x', 900, doing('working')), use('b', 'x', 1)], 'x', 'b'],
    ['one that listens stays, however silent', [use('a', 'x', 900, doing('listening')), use('b', 'x', 1)], 'x', 'b'],
    ['one that was asked a moment ago stays', [use('a', 'x', 100, doing('asked')), use('b', 'x', 1)], 'x', 'b'],
    [
      'one that worked for long and was asked a moment ago stays',
      [use('a', 'x', 900, { activity: 'asked', askedAt: NOW - 1000 }), use('b', 'x', 1)],
      'x',
      'b',
    ],
    [
      'one whose client wants to hear of changes goes last',
      [use('a', 'x', 900, { isFollowed: true }), use('b', 'x', 1)],
      'x',
      'b',
    ],
    ['but it goes', [use('a', 'x', 900, { isFollowed: true }), use('b', 'x', 1, doing('working'))], 'x', 'a'],
    ['one that was asked long ago does not', [use('a', 'x', 130, doing('asked')), use('b', 'x', 1)], 'x', 'a'],
    [
      'the next holder where all of the first are at work',
      [use('a', 'x', 9, doing('working')), use('b', 'x', 9, doing('working')), use('c', 'y', 1)],
      'z',
      'c',
    ],
    [
      'none, where all are at work',
      [use('a', 'x', 900, doing('working')), use('b', 'x', 900, doing('listening'))],
      'x',
      undefined,
    ],
    [
      'none of a holder that has fewer than the newcomer',
      [use('a', 'x', 1, doing('working')), use('b', 'x', 1, doing('working')), use('c', 'y', 900)],
      'x',
      undefined,
    ],
    [
      'one that only listens, of a holder over its share, for one below',
      [
        use('a', 'x', 5, doing('listening')),
        use('b', 'x', 9, doing('listening')),
        use('c', 'x', 99, doing('working')),
        use('d', 'y', 1, doing('working')),
      ],
      'z',
      'b',
    ],
    [
      'but not for one that has its share already',
      [use('a', 'x', 5, doing('listening')), use('b', 'x', 9, doing('listening')), use('c', 'y', 1, doing('working'))],
      'y',
      undefined,
    ],
    ['none, where there is none', [], 'x', undefined],
  ])('%s', (_, sessions, newcomer, expected) => {
    expect(chosenOf(sessions, newcomer)?.name).toBe(expected)
  })
})

const activity = fc.constantFrom<Activity>('working', 'asked', 'listening', 'idle')
const session = fc
  .record({
    holder: fc.constantFrom('a', 'b', 'c'),
    isOpen: fc.boolean(),
    isUsed: fc.boolean(),
    silent: fc.nat(400),
    activity,
  })
  .map(({ silent, ...rest }) => ({
    ...rest,
    isOpen: rest.isOpen || rest.isUsed,
    askedAt: 0,
    lastUsedAt: NOW - silent * 1000,
  }))

const countOf = (all: readonly Use[], holder: string): number => all.filter((each) => each.holder === holder).length

describe('L2 laws of making room', () => {
  it('never takes from a request that is worked on, nor a question that was just asked', () => {
    fc.assert(
      fc.property(fc.array(session), fc.constantFrom('a', 'b', 'd'), (all, newcomer) => {
        const ended = chosenOf(all, newcomer)
        expect(ended?.activity).not.toBe('working')
        if (ended?.activity === 'asked') expect(NOW - ended.lastUsedAt).toBeGreaterThanOrEqual(UNANSWERED)
      }),
    )
  })

  it('never takes from a holder that has fewer than the newcomer would have', () => {
    fc.assert(
      fc.property(fc.array(session), fc.constantFrom('a', 'b', 'd'), (all, newcomer) => {
        const ended = chosenOf(all, newcomer)
        if (ended !== undefined)
          expect(countOf(all, ended.holder)).toBeGreaterThanOrEqual(
            countOf(all, newcomer) + (ended.holder === newcomer ? 0 : 1),
          )
      }),
    )
  })

  it('finds one wherever a holder has one that is idle and nobody else has as many', () => {
    fc.assert(
      fc.property(fc.array(session, { minLength: 1 }), (all) => {
        const hasIdle = all.some((each) => each.activity === 'idle')
        if (hasIdle) expect(chosenOf(all, 'newcomer')).toBeDefined()
      }),
    )
  })

  it('with one holder, never takes one that was used while another has been silent longer', () => {
    fc.assert(
      fc.property(
        fc.array(
          session.map((each) => ({ ...each, holder: 'a', activity: 'idle' as const })),
          { minLength: 1 },
        ),
        (all) => {
          const ended = chosenOf(all, 'a') as Use
          const others = all.filter((each) => each !== ended)
          if (ended.isUsed)
            for (const other of others) expect(other.isUsed && other.lastUsedAt >= ended.lastUsedAt).toBe(true)
        },
      ),
    )
  })
})

/** Clients at one address, and a table that has room for so many sessions of theirs. */
class Table {
  readonly sessions = new Set<Mutable>()
  readonly #holders = new Holders()
  readonly most: number
  now = 0

  constructor(most: number) {
    this.most = most
  }

  open(): Mutable | undefined {
    if (this.sessions.size >= this.most) {
      const ended = sessionToEnd([...this.sessions], this.#holders, 'here', this.now)
      if (ended === undefined) return undefined
      this.#holders.leave(ended.holder)
      this.sessions.delete(ended)
    }
    const opened: Mutable = {
      holder: this.#holders.enter('here'),
      isOpen: false,
      isUsed: false,
      lastUsedAt: this.now,
      activity: 'idle',
      askedAt: 0,
    }
    this.sessions.add(opened)
    return opened
  }

  call(session: Mutable): void {
    Object.assign(session, { isOpen: true, isUsed: true, lastUsedAt: this.now })
  }
}

type Mutable = { -readonly [K in keyof SessionUse]: SessionUse[K] }

/** What a client does that comes beside the one that calls again and again. */
const GUESTS: Readonly<Record<string, (table: Table, opened: Mutable) => void>> = {
  'shakes hands halfway': () => {},
  'shakes hands': (_, opened) => Object.assign(opened, { isOpen: true }),
  'calls once': (table, opened) => table.call(opened),
  'never answers': (table, opened) => {
    table.call(opened)
    opened.activity = 'asked'
  },
}

describe('L2 histories of clients that all come from one address', () => {
  it('a client that calls every so often keeps its session, while another has been silent for longer than that or was never used', () => {
    const history = fc.array(fc.record({ wait: fc.nat(3000), guest: fc.constantFrom(...Object.keys(GUESTS)) }), {
      maxLength: 200,
    })
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 10 }), fc.integer({ min: 1, max: 30 }), history, (most, every, guests) => {
        const table = new Table(most)
        const regular = table.open() as Mutable
        table.call(regular)
        for (const { wait, guest } of guests) {
          table.now += wait
          if (table.now - regular.lastUsedAt >= every * 1000) table.call(regular)
          const idle = [...table.sessions].filter(
            ({ activity, lastUsedAt }) => activity === 'idle' || table.now - lastUsedAt >= UNANSWERED,
          )
          const hasOther = idle.some((each) => !each.isUsed || each.lastUsedAt < regular.lastUsedAt)
          const opened = table.open()
          if (hasOther) expect(table.sessions.has(regular)).toBe(true)
          if (!table.sessions.has(regular)) return
          if (opened !== undefined) GUESTS[guest]?.(table, opened)
        }
      }),
    )
  })

  it('10,000 handshakes that lead nowhere take one session at most, and of busy and recently used clients none', () => {
    const table = new Table(50)
    const used = Array.from({ length: 40 }, () => table.open() as Mutable)
    for (const each of used) table.call(each)
    ;(used[0] as Mutable).activity = 'working'
    for (let flood = 0; flood < 10_000; flood++) {
      table.now += 1
      expect(table.open()).toBeDefined()
    }
    for (const each of used) expect(table.sessions.has(each)).toBe(true)
    const full = new Table(40)
    const all = Array.from({ length: 40 }, () => full.open() as Mutable)
    for (const each of all) {
      full.now += 1000
      full.call(each)
    }
    for (let flood = 0; flood < 10_000; flood++) full.open()
    expect(all.map((each) => full.sessions.has(each))).toEqual([false, ...Array(39).fill(true)])
  })

  it('200 abandoned sessions do not lock out the next client, nor do 200 questions without an answer', () => {
    for (const activity of ['idle', 'asked'] as const) {
      const table = new Table(200)
      for (let client = 0; client < 200; client++) {
        const opened = table.open() as Mutable
        table.call(opened)
        opened.activity = activity
      }
      table.now += UNANSWERED
      for (let client = 0; client < 500; client++) {
        const opened = table.open()
        expect(opened).toBeDefined()
        table.call(opened as Mutable)
        expect(table.sessions.has(opened as Mutable)).toBe(true)
        table.now += 1
      }
    }
  })
})

describe('who has a session', () => {
  it.each([
    ['ann', '10.0.0.1', 'principal ann'],
    [undefined, '10.0.0.1', 'address 10.0.0.1'],
    [undefined, '::ffff:10.0.0.1', 'address 10.0.0.1'],
    [undefined, '2001:db8:1:2:3:4:5:6', 'address 2001:db8:1:2::/64'],
    [undefined, '2001:db8::6', 'address 2001:db8:0:0::/64'],
    [undefined, 'fe80::1%eth0', 'address fe80:0:0:0::/64'],
    [undefined, undefined, 'unknown'],
  ])('%s from %s is %s', (principal, address, holder) => {
    expect(holderOf(principal, address)).toBe(holder)
  })

  it('is one network for all addresses of an IPv6 /64', () => {
    expect(networkOf('2001:db8:1:2::1')).toBe(networkOf('2001:db8:1:2:ffff::9'))
  })
})

describe('how many sessions each has', () => {
  it('is known of those who have some, and of nobody else', () => {
    const holders = new Holders()
    const first = holders.enter('a')
    const second = holders.enter('a')
    const other = holders.enter('b')
    expect([first.sessions, other.sessions, holders.of('a'), holders.of('b'), holders.of('c')]).toEqual([2, 1, 2, 1, 0])
    expect([holders.shareWith('a'), holders.shareWith('c')]).toEqual([1, 1])
    holders.leave(first)
    expect([second.sessions, holders.of('a')]).toEqual([1, 1])
    holders.leave(second)
    expect([holders.of('a'), holders.shareWith('b'), holders.shareWith('a')]).toEqual([0, 1, 0])
  })
})
