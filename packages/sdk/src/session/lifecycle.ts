/** Opens and ends a session: the time limit of the handshake, pings, draining, and the last messages. */

import type { SessionCore } from './core.ts'
import { milliseconds } from './duration.ts'
import type { HandshakeLife, Receivers, Receiving } from './incoming/receiving.ts'
import { KeepAlive } from './keep-alive.ts'
import { handshakeTimedOut, lostRequest } from './outgoing/request-errors.ts'
import { guarded } from './outgoing/request-frame.ts'
import type { CloseOptions, SessionView } from './session-view.ts'

export class Lifecycle implements HandshakeLife {
  readonly #core: SessionCore
  readonly #parts: Receivers
  readonly #session: SessionView
  #receiving: Receiving | undefined
  #closeListeners: Set<(reason: Error | undefined) => void> | undefined
  #keepAlive: KeepAlive | undefined
  #cancelInitialiseTimer: (() => void) | undefined
  #closing: Promise<void> | undefined
  /** Ends the wait for requests that are being answered. */
  #endDrain: (() => void) | undefined
  /** Settles when the link is closed: some links still have to tell the peer. */
  #linkClosed: void | Promise<void> = undefined

  constructor(core: SessionCore, parts: Receivers, session: SessionView) {
    this.#core = core
    this.#parts = parts
    this.#session = session
  }

  begin(receiving: Receiving): void {
    this.#receiving = receiving
    if (this.#core.role === 'server' && !this.#core.settings.sharedLink) this.hurry(true)
  }

  onOpened(): void {
    const core = this.#core
    const { keepAlive, clock } = core.settings
    this.#stopInitialiseTimer()
    // In the stateless era neither side keeps anything between requests, so no pings are sent.
    if (keepAlive !== undefined && core.era.isStateful) {
      this.#keepAlive = new KeepAlive({
        clock,
        ...keepAlive,
        lastHeard: () => core.lastReceivedAt,
        // Without a route: the ping is about this session, so no other session may take it over.
        ping: (timeout) => this.#parts.requests.send('ping', undefined, undefined, { timeout }),
        excused: () => this.#session.excused || keepAlive.excused?.() === true,
        onDead: (reason) => this.end(reason),
      })
    }
    this.#tell(() => core.endpoint.opened?.(this.#session))
  }

  /** Starts the client's time limit for the handshake, or removes it. */
  hurry(hurry: boolean): void {
    const { initialiseTimeout: ms, clock } = this.#core.settings
    this.#stopInitialiseTimer()
    if (!hurry || !Number.isFinite(ms) || this.#core.closed) return
    this.#cancelInitialiseTimer = clock.after(ms, () => this.end(handshakeTimedOut(ms)))
  }

  /** Drops the timer as well: it would be a tenth of the memory of an idle session. */
  #stopInitialiseTimer(): void {
    this.#cancelInitialiseTimer = void this.#cancelInitialiseTimer?.()
  }

  /** Called once; at once when the session is closed already. */
  onClose(listener: (reason: Error | undefined) => void): () => void {
    this.#closeListeners ??= new Set()
    if (this.#core.closed) listener(undefined)
    else this.#closeListeners.add(listener)
    return () => this.#closeListeners?.delete(listener)
  }

  close(options: CloseOptions): Promise<void> {
    if (this.#closing === undefined) this.#closing = this.#shutDown(options)
    else if (options.drain !== undefined)
      this.#core.settings.clock.after(milliseconds(options.drain), () => this.#endDrain?.())
    return this.#closing
  }

  async #shutDown({ drain, reason }: CloseOptions): Promise<void> {
    const core = this.#core
    const { answering } = this.#parts
    const { clock } = core.settings
    const wait = milliseconds(drain ?? (core.role === 'server' ? '5s' : 0))
    // A client that never sent `notifications/initialized` may still wait for answers. No phase says so, but it is
    // drained as well.
    core.phases.fire('shutdown', clock.now())
    core.draining = true
    this.#tell(() => core.endpoint.closing?.(this.#session))
    if (!core.closed && wait > 0 && answering.size > 0) {
      this.#session.resume()
      let stopTimer: (() => void) | undefined
      const enough = new Promise<void>((resolve) => {
        this.#endDrain = resolve
        stopTimer = clock.after(wait, resolve, true)
      })
      await Promise.race([answering.idle(), enough])
      stopTimer?.()
    }
    if (!core.closed && core.role === 'server') this.#receiving?.giveUp()
    this.end(reason)
    await this.#linkClosed
  }

  end(reason: Error | undefined): void {
    const core = this.#core
    if (!core.phases.fire('close', core.settings.clock.now())) return
    this.#stopInitialiseTimer()
    this.#keepAlive?.stop()
    core.stop()
    this.#linkClosed = core.link.close(reason)
    this.#receiving?.close('The session has ended')
    this.#parts.requests.failAll((method) => lostRequest(method, reason))
    this.#parts.notifications.clear()
    core.forgetPeer()
    this.#tell(() => core.endpoint.closed?.(this.#session, reason))
    for (const listener of this.#closeListeners ?? []) this.#tell(() => listener(reason))
    this.#closeListeners = undefined
  }

  /** Calls code of others, which must not harm the session. */
  #tell(call: () => void): void {
    guarded(call, (error) => this.#core.reportError(error, 'observer'))
  }
}
