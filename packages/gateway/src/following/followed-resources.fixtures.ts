/** Servers that come, go and change places while clients follow what they have: what tests of that begin with. */
import type { Capabilities } from 'parley-mcp'
import type { Body, Link } from 'parley-mcp/engine'
import { type FakeClock, fakeClock, flush } from 'parley-mcp/testing'
import { expect } from 'vitest'
import { AggregateRig, type RigServer } from '../addresses/all/aggregate.fixtures.ts'
import { EVERYTHING, type RawClient, type ScriptedServer, scripted } from '../addresses/server/peers.fixtures.ts'

export const ERAS = ['2025-11-25', '2026-07-28'] as const
export const X = 'note://x'
export const Y = 'note://y'
export const X_OF_B = 'parley://servers/b/note%3A%2F%2Fx'
const UPDATED = 'notifications/resources/updated'

/** Returns the notifications since the last call. */
export type Fresh = () => unknown[]

export class FollowedRig extends AggregateRig {
  readonly clock: FakeClock
  readonly warnings: string[]

  constructor(members: Readonly<Record<string, RigServer>>, clock: FakeClock = fakeClock(), warnings: string[] = []) {
    super(members, {
      clock,
      log: { error() {}, warning: (message) => void warnings.push(message), info() {}, debug() {} },
    })
    this.clock = clock
    this.warnings = warnings
  }

  async following(version: (typeof ERAS)[number], ...uris: string[]): Promise<{ client: RawClient; news: Fresh }> {
    const client = this.raw()
    if (version === '2026-07-28') {
      void client.ask('subscriptions/listen', { notifications: { resourceSubscriptions: uris } })
      const { params } = await client.next('notifications/subscriptions/acknowledged')
      expect(params?.['notifications']).toEqual({ resourceSubscriptions: uris })
    } else {
      await client.shakeHands(version)
      for (const uri of uris) expect((await client.request('resources/subscribe', { uri })).result).toEqual({})
    }
    await this.pass()
    return { client, news: newsOf(client) }
  }

  /** As long as it takes until changes are told, and what they cause is done. */
  async pass(): Promise<void> {
    for (let round = 0; round < 2; round++) {
      await settle()
      await this.clock.advance(100)
    }
    await settle()
  }

  reorder(...names: string[]): void {
    this.aggregate.setServers(names.flatMap((name) => this.addresses.get(name) ?? []))
  }

  /** In front of all that are there. */
  putInFront(members: Readonly<Record<string, RigServer>>): void {
    const standing = [...this.addresses.keys()]
    this.replace(members)
    this.reorder(...Object.keys(members), ...standing)
  }

  async remove(name: string): Promise<void> {
    for (const address of this.forget(name)) await address.close()
    await this.pass()
  }

  async exchange(members: Readonly<Record<string, RigServer>>): Promise<void> {
    for (const address of this.replace(members)) await address.close()
    await this.pass()
  }
}

/** A server that offers these resources, for as long as they are in there. */
export function offering(uris: readonly string[], capabilities: Capabilities = EVERYTHING): ScriptedServer {
  const lists: Readonly<Record<string, () => Body>> = {
    'resources/list': () => ({ resources: uris.map((uri) => ({ uri, name: uri })) }),
    'resources/templates/list': () => ({ resourceTemplates: [] }),
    'tools/list': () => ({ tools: [] }),
    'prompts/list': () => ({ prompts: [] }),
  }
  return scripted({ version: '2025-06-18', capabilities, answer: ({ method }) => lists[method]?.() ?? {} })
}

/** How often it was asked to begin, and to cease, to tell of a resource. */
export function agreements({ told }: ScriptedServer, uri = X): number[] {
  return ['resources/subscribe', 'resources/unsubscribe'].map(
    (asked) => told.filter(({ method, params }) => method === asked && params['uri'] === uri).length,
  )
}

/** Notifies all subscribers. */
export async function update({ sessions }: ScriptedServer, uri = X): Promise<void> {
  for (const session of sessions) session.notify(UPDATED, { uri })
  await settle()
}

export async function settle(): Promise<void> {
  for (let round = 0; round < 20; round++) await flush()
}

function newsOf(client: RawClient): Fresh {
  let seen = 0
  return () => {
    const all = client.of(UPDATED).map(({ params }) => params?.['uri'])
    const fresh = all.slice(seen)
    seen = all.length
    return fresh
  }
}

/** Keeps what asks a server to tell of resources from it until it is released. */
export class Held {
  readonly frames: string[] = []
  readonly #late: (() => void)[] = []
  #isOpen = false

  wrap(link: Link): Link {
    let isClosed = false
    return {
      transport: link.transport,
      open: (events) => link.open(events),
      send: (frame, options) => {
        if (this.#isOpen || !/"resources\/subscribe"|"subscriptions\/listen"/.test(frame))
          return link.send(frame, options)
        this.frames.push(frame)
        this.#late.push(() => isClosed || link.send(frame, options))
      },
      close: () => {
        isClosed = true
        return link.close()
      },
    }
  }

  release(): void {
    this.#isOpen = true
    for (const send of this.#late.splice(0)) send()
  }
}
