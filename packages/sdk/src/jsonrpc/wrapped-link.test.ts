/** Links around links: nothing of a link, and nothing a link tells, may be lost in between. */
import { describe, expect, it, vi } from 'vitest'
import type { Link, LinkEvents } from './link.ts'
import { WrappedLink, wrappedEvents } from './wrapped-link.ts'

type Members = Record<string, unknown>

const listener: LinkEvents = { frame: () => {}, closed: () => {} }
const failure = new Error('lost')

/** Values each can have. */
const values = {
  transport: ['odd'],
  listening: [true, false],
  hears: [true, false],
  remembered: [true, false],
  mirrors: [true, false],
}

/** What each is called with. */
const methods = {
  open: [listener],
  send: ['{}', { relatedTo: 1, final: true }],
  close: [failure],
  negotiated: ['2025-11-25'],
  abandon: [1],
  withdraw: [4],
  release: [2, 500],
}

const eventMethods = {
  frame: ['{}', { kind: 'notification', message: { jsonrpc: '2.0', method: 'm' } }, { key: 9 }],
  abandoned: [9],
  failed: [3, failure],
  released: [5, 100],
  closed: [failure],
}

// A new member has to be named above, and is then looked for below.
const members = { ...values, ...methods } satisfies Record<keyof Required<Link>, unknown[]>
const eventMembers = { maxBytes: [], ...eventMethods } satisfies Record<keyof Required<LinkEvents>, unknown[]>

const plainLink: Link = { transport: 'plain', open: () => {}, send: () => {}, close: () => {} }
const optional = (all: object, plain: object): string[] =>
  Object.keys(all).filter((name) => !Object.hasOwn(plain, name))

/** Sees who is called with what. */
function spied(name: string): { object: Members; spy: ReturnType<typeof vi.fn> } {
  const spy = vi.fn(() => 'given')
  return { object: { ...plainLink, ...listener, [name]: spy }, spy }
}

describe('a link around a link', () => {
  it.each(Object.entries(values))('has its %s, as it is now', (name, possible) => {
    const inner: Members = { ...plainLink }
    const link = new WrappedLink(inner as unknown as Link) as unknown as Members
    for (const value of possible) {
      inner[name] = value
      expect(link[name]).toBe(value)
    }
  })

  it.each(Object.entries(methods))('hands on %s', (name, given) => {
    const { object, spy } = spied(name)
    const link = new WrappedLink(object as unknown as Link) as unknown as Record<
      string,
      (...given: unknown[]) => unknown
    >
    const result = link[name]?.(...given)
    expect(spy.mock.calls).toEqual([given])
    expect(spy.mock.contexts).toEqual([object])
    if (name === 'close') expect(result).toBe('given')
  })

  it.each(optional(members, plainLink))('has no %s where the link has none', (name) => {
    expect((new WrappedLink(plainLink) as unknown as Members)[name]).toBeUndefined()
  })

  it('has a method from when on the link has it', () => {
    let able = false
    const link = new WrappedLink({
      ...plainLink,
      get withdraw() {
        return able ? () => {} : undefined
      },
    })
    expect(link.withdraw).toBeUndefined()
    able = true
    expect(link.withdraw).toBeTypeOf('function')
  })

  it('lets a wrapper change one thing', () => {
    const sent: string[] = []
    class Loud extends WrappedLink {
      override send(frame: string): void {
        super.send(frame.toUpperCase())
      }
    }
    const link = new Loud({ ...plainLink, mirrors: true, send: (frame) => void sent.push(frame) })
    link.send('a')
    expect(sent).toEqual(['A'])
    expect(link.mirrors).toBe(true)
  })
})

describe('events through a link', () => {
  it('know how much is read', () => {
    expect(wrappedEvents({ ...listener, maxBytes: 7 }, {}).maxBytes).toBe(7)
    expect(wrappedEvents({ ...listener, maxBytes: 7 }, { maxBytes: 5 }).maxBytes).toBe(5)
  })

  it.each(Object.entries(eventMethods))('hand on %s', (name, given) => {
    const { object, spy } = spied(name)
    const events = wrappedEvents(object as unknown as LinkEvents, {}) as unknown as Record<
      string,
      (...given: unknown[]) => void
    >
    events[name]?.(...given)
    expect(spy.mock.calls).toEqual([given])
    expect(spy.mock.contexts).toEqual([object])
  })

  it.each(Object.entries(eventMethods))('tell the wrapper instead where it changes %s', (name, given) => {
    const { object, spy } = spied(name)
    const changed = vi.fn()
    const events = wrappedEvents(object as unknown as LinkEvents, { [name]: changed }) as unknown as Record<
      string,
      (...given: unknown[]) => void
    >
    events[name]?.(...given)
    expect(changed.mock.calls).toEqual([given])
    expect(spy).not.toHaveBeenCalled()
  })

  it.each(optional(eventMembers, listener))('have no %s where nobody hears it', (name) => {
    expect((wrappedEvents(listener, {}) as unknown as Members)[name]).toBeUndefined()
  })

  it.each(optional(eventMethods, listener))(
    'have no %s where nobody hears it, though the wrapper would change it',
    (name) => {
      expect((wrappedEvents(listener, { [name]: () => {} }) as unknown as Members)[name]).toBeUndefined()
    },
  )
})
