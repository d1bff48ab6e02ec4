/** Links with faults, for tests. */
import { type Link, type LinkEvents, type SendOptions, WrappedLink, wrappedEvents } from '../jsonrpc/index.ts'
import { type Clock, systemClock } from '../session/index.ts'

export type Fault = 'drop' | 'duplicate' | 'corrupt' | { readonly delay: number }

/** The fault of a frame, or `undefined` for none. `index` counts from 0 in each direction. */
export type FaultPlan = (frame: string, index: number, direction: 'sent' | 'received') => Fault | undefined

/** A link with the faults of a plan. Later frames overtake a delayed one. */
export function faulty(link: Link, plan: FaultPlan, clock: Clock = systemClock): Link {
  return new FaultyLink(link, plan, clock)
}

class FaultyLink extends WrappedLink {
  readonly #plan: FaultPlan
  readonly #clock: Clock
  #sent = 0
  #received = 0
  #closed = false

  constructor(link: Link, plan: FaultPlan, clock: Clock) {
    super(link)
    this.#plan = plan
    this.#clock = clock
  }

  override open(events: LinkEvents): void {
    super.open(
      wrappedEvents(events, {
        frame: (frame, _, origin) =>
          this.#pass(this.#plan(frame, this.#received++, 'received'), frame, (passed) =>
            events.frame(passed, undefined, origin),
          ),
        closed: (reason) => {
          this.#closed = true
          events.closed(reason)
        },
      }),
    )
  }

  override send(frame: string, options?: SendOptions): void {
    this.#pass(this.#plan(frame, this.#sent++, 'sent'), frame, (passed) =>
      super.send(passed, passed === frame ? options : withoutKept(options)),
    )
  }

  override close(): void | Promise<void> {
    this.#closed = true
    return super.close()
  }

  #pass(fault: Fault | undefined, frame: string, deliver: (frame: string) => void): void {
    if (fault === 'drop') return
    if (typeof fault === 'object') {
      this.#clock.after(fault.delay, () => {
        if (!this.#closed) deliver(frame)
      })
      return
    }
    deliver(fault === 'corrupt' ? corrupted(frame) : frame)
    if (fault === 'duplicate') deliver(frame)
  }
}

/** The kept bytes are those of the whole result, and would replace the changed frame. */
function withoutKept(options: SendOptions | undefined): SendOptions | undefined {
  if (options === undefined) return undefined
  const { kept: _, ...others } = options
  return others
}

/** Half a message is not valid JSON. */
function corrupted(frame: string): string {
  return frame.slice(0, Math.max(1, frame.length >> 1))
}
