/** Upstreams in memory that do as they are told, and what happened to them. */
import type { Link, LinkEvents } from 'parley-mcp/engine'
import { type FakeClock, fakeClock } from 'parley-mcp/testing'
import type { RemoteTarget, RestartSettings } from '../config/index.ts'
import type { UpstreamEvent, UpstreamState } from './status.ts'
import { Supervisor, type SupervisorOptions } from './supervisor.ts'

/** The near end of a connection whose far end is the test. */
export class TestLink implements Link {
  readonly transport = 'test'
  readonly sent: string[] = []
  closedHere = 0
  #events: LinkEvents | undefined

  open(events: LinkEvents): void {
    this.#events = events
  }

  send(frame: string): void {
    this.sent.push(frame)
  }

  close(): void {
    if (this.closedHere++ === 0) queueMicrotask(() => this.#events?.closed())
  }

  answer(): void {
    this.#events?.frame('{"jsonrpc":"2.0","id":1,"result":{}}')
  }

  fail(error: Error): void {
    this.#events?.failed?.(1, error)
  }

  end(reason?: Error): void {
    this.#events?.closed(reason)
  }
}

/** A link in use, as a session uses it. */
export interface Used {
  readonly link: Link
  readonly far: TestLink
  /** Why it ended, as the user was told; `null` while it has not. */
  reason(): Error | undefined | null
}

export const target: RemoteTarget = {
  kind: 'remote',
  url: 'tcp://127.0.0.1:1',
  transport: 'tcp',
  headers: { 'x-key': 'very-secret' },
}

export interface Stage {
  readonly supervisor: Supervisor
  readonly clock: FakeClock
  readonly events: UpstreamEvent[]
  readonly states: UpstreamState[]
  /** All links that were opened. */
  readonly links: TestLink[]
  /** Errors for the next starts. */
  readonly failures: Error[]
  use(open?: () => Promise<Link>): Promise<Used>
}

export function stage(restart: Partial<RestartSettings> = {}, options: Partial<SupervisorOptions> = {}): Stage {
  const clock = fakeClock(0)
  const events: UpstreamEvent[] = []
  const states: UpstreamState[] = []
  const links: TestLink[] = []
  const failures: Error[] = []
  const supervisor = new Supervisor({
    name: 'files',
    target,
    restart: { policy: 'permanent', maxRestarts: 3, within: 60_000, ...restart },
    clock,
    random: () => 0,
    log: (event) => events.push(event),
    launch: async () => {
      const failure = failures.shift()
      if (failure !== undefined) throw failure
      const link = new TestLink()
      links.push(link)
      return link
    },
    ...options,
  })
  supervisor.onStatus(({ state }) => states.push(state))
  const use = async (open: () => Promise<Link> = supervisor.open): Promise<Used> => {
    const link = await open()
    let reason: Error | undefined | null = null
    link.open({
      frame: () => {},
      failed: () => {},
      closed: (given) => {
        reason = given
      },
    })
    return { link, far: links.at(-1) as TestLink, reason: () => reason }
  }
  return { supervisor, clock, events, states, links, failures, use }
}
