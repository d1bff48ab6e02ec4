/**
 * A pair of links in one process. Frames are text, delivered asynchronously and in order, so only strings are shared.
 */
import { ParleyError } from '../errors/index.ts'
import type { Link, LinkEvents } from '../jsonrpc/index.ts'

export interface MemoryPairOptions {
  /** Name of the transport, for logs and contexts. Default `memory`. */
  transport?: string
  /** Most frames that wait at one end. Limits the memory if an end is never opened. Default 100 000. */
  maxQueued?: number
}

class MemoryLink implements Link {
  readonly transport: string
  private readonly maxQueued: number
  private peer: MemoryLink | undefined
  private events: LinkEvents | undefined
  private inbox: string[] = []
  private scheduled = false
  private closedHere = false
  private closedThere = false
  private reported = false

  constructor(transport: string, maxQueued: number) {
    this.transport = transport
    this.maxQueued = maxQueued
  }

  join(peer: MemoryLink): void {
    this.peer = peer
  }

  open(events: LinkEvents): void {
    if (this.events !== undefined)
      throw new ParleyError('transport_error', { message: 'This end of the memory link is already in use' })
    this.events = events
    this.wake()
  }

  send(frame: string): void {
    if (this.closedHere || this.reported)
      throw new ParleyError('transport_error', { message: 'The memory link is closed' })
    const peer = this.peer as MemoryLink
    // This end does not know yet that the other end is closed. The frame is lost, as on a network.
    if (peer.closedHere) return
    if (peer.inbox.length >= peer.maxQueued) {
      throw new ParleyError('transport_error', {
        message: `The other end of the memory link has ${peer.maxQueued} frames waiting and takes no more`,
      })
    }
    peer.inbox.push(frame)
    peer.wake()
  }

  close(): void {
    if (this.closedHere) return
    this.closedHere = true
    this.inbox = []
    this.wake()
    const peer = this.peer as MemoryLink
    peer.closedThere = true
    peer.wake()
  }

  private wake(): void {
    if (this.scheduled || this.events === undefined) return
    this.scheduled = true
    queueMicrotask(this.drain)
  }

  /** One microtask delivers a whole burst. A field, because it is scheduled for each burst. */
  private readonly drain = (): void => {
    const events = this.events as LinkEvents
    const frames = this.inbox
    let at = 0
    let failed = true
    try {
      // Closing replaces the inbox, which also ends this loop.
      while (at < frames.length && this.inbox === frames) events.frame(frames[at++] as string)
      failed = false
    } finally {
      this.scheduled = false
      if (this.inbox === frames) this.inbox = at < frames.length ? frames.slice(at) : []
      // If the receiver throws, later frames and the end are still delivered.
      if (failed) this.wake()
    }
    if (this.closedHere || this.closedThere) this.report(events)
  }

  private report(events: LinkEvents): void {
    if (this.reported) return
    this.reported = true
    events.closed()
  }
}

export function memoryPair(options: MemoryPairOptions = {}): [Link, Link] {
  const { transport = 'memory', maxQueued = 100_000 } = options
  const one = new MemoryLink(transport, maxQueued)
  const two = new MemoryLink(transport, maxQueued)
  one.join(two)
  two.join(one)
  return [one, two]
}
