/** A server that can be lost and comes back: each link a client opens leads to the next one of a series. */
import { type RawServer, type RawServerOptions, rawServer } from '../../src/client/raw-server.fixtures.ts'
import type { Body, Link, LinkEvents, RequestId } from '../../src/jsonrpc/index.ts'

export interface Generation extends RawServer {
  /** Ends the link as a transport would. */
  lose(reason?: Error): void
  /** From now on nothing arrives, in either direction. */
  stall(): void
  /** Arrives whatever is stalled. */
  tell(message: Body): void
  /** The link lives on, but this request did not get through. */
  fail(request: RequestId, error: Error): void
  /** What the link does with the next frames it is given to send. */
  refuseFrames(error: Error): void
}

type Next = RawServerOptions | Error | Promise<RawServerOptions>

export interface Fleet {
  /** To be given to `connect`. */
  readonly open: () => Promise<Link>
  /** The servers there have been. */
  readonly generations: Generation[]
  /** How often a link was wanted. */
  readonly opened: number
  readonly last: Generation
}

/** `next` says what answers the link with this number, counted from 0; an error: nobody does. */
export function fleet(next: (index: number) => Next): Fleet {
  const generations: Generation[] = []
  let opened = 0
  return {
    async open() {
      const options = await next(opened++)
      if (options instanceof Error) throw options
      const generation = breakable(rawServer(options))
      generations.push(generation)
      return generation.link
    },
    generations,
    get opened() {
      return opened
    },
    get last() {
      return generations.at(-1) as Generation
    },
  }
}

function breakable(server: RawServer): Generation {
  const inner = server.link
  let events: LinkEvents | undefined
  let stalled = false
  let refusal: Error | undefined
  const link: Link = {
    transport: 'breakable',
    open(given) {
      events = given
      inner.open({
        frame: (text) => {
          if (!stalled) given.frame(text)
        },
        closed: (reason) => given.closed(reason),
      })
    },
    send(frame) {
      if (refusal !== undefined) throw refusal
      if (!stalled) inner.send(frame)
    },
    close: () => inner.close(),
  }
  return Object.defineProperty(
    {
      ...server,
      link,
      lose: (reason?: Error) => events?.closed(reason),
      stall: () => {
        stalled = true
      },
      tell: (message: Body) => events?.frame(JSON.stringify({ jsonrpc: '2.0', ...message })),
      fail: (request: RequestId, error: Error) => events?.failed?.(request, error),
      refuseFrames: (error: Error) => {
        refusal = error
      },
    },
    'closed',
    { get: () => server.closed },
  ) as Generation
}
