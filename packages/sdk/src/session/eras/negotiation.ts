/**
 * Opens a client session: with the handshake, with `server/discover`, or with the one that a server of unknown era
 * answers (V4, D-65).
 */
import { ParleyError } from '../../errors/index.ts'

import { type Era, extensionLosses, type ProtocolVersion } from '../../versions/index.ts'
import type { SessionCore } from '../core.ts'
import type { OutgoingRequests } from '../outgoing/outgoing-requests.ts'
import type { OpenOptions } from '../session-view.ts'
import { type DiscoveryOutcome, judgeAnswer, judgeError, LostInDiscovery, tooOld, versionsIn } from './discovery.ts'
import { initializeParams, readInitializeResult } from './handshake/initialize.ts'
import { StatelessEra } from './stateless/client/era.ts'

/** Ends of a link for which another link would not help. */
const MEANT: ReadonlySet<string> = new Set([
  'unauthorized',
  'forbidden',
  'rate_limited',
  'request_cancelled',
  'session_lost',
])

const NEITHER = 'answered neither server/discover nor initialize'
const HTTP: ReadonlySet<string> = new Set(['http', 'sse'])

export class Negotiation {
  readonly #core: SessionCore
  readonly #requests: OutgoingRequests
  readonly #era: Era | undefined
  readonly #beganAt: number
  #resolve: () => void = () => {}
  #reject: (error: unknown) => void = () => {}
  readonly #probe = new AbortController()
  readonly #handshake = new AbortController()
  #probing = false
  #shaking = false
  #cancelSilence: (() => void) | undefined
  /** The error of the handshake, while `server/discover` may still be answered. */
  #refusal: unknown
  /** Agrees on the answer to `server/discover`, once the handshake has failed. */
  #held: (() => void) | undefined

  constructor(core: SessionCore, requests: OutgoingRequests, { era }: OpenOptions = {}) {
    this.#core = core
    this.#requests = requests
    this.#era = era
    this.#beganAt = core.settings.clock.now()
  }

  /** Settles when both sides have agreed, or cannot. */
  run(): Promise<void> {
    const { versions, probeTimeout, initialiseTimeout, clock } = this.#core.settings
    const stateless = versionsIn('stateless', versions)
    const handshake = versionsIn('handshake', versions)
    const first = stateless[stateless.length - 1]
    if (first === undefined || (this.#era === 'handshake' && handshake.length > 0)) return this.shakeHands()
    const outcome = new Promise<void>((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    // Half of the time is left for the handshake.
    if (handshake.length > 0)
      this.#cancelSilence = clock.after(Math.min(probeTimeout, initialiseTimeout / 2), () => this.#tryHandshake())
    this.#ask(first, false)
    return outcome.finally(() => this.#cancelSilence?.())
  }

  /** The handshake alone. Its version applies at once: the server may go on right after its answer. */
  shakeHands(): Promise<void> {
    return this.#shakeHands().catch((error: unknown) => {
      throw error instanceof ParleyError && error.kind === 'request_timeout'
        ? this.#nothingHeard('did not answer initialize', error)
        : error
    })
  }

  async #shakeHands(): Promise<void> {
    const core = this.#core
    const { versions, profile, clock } = core.settings
    const params = initializeParams(versions, core.self, profile, core.translationContext(undefined))
    await this.#requests.send(
      'initialize',
      params,
      undefined,
      { timeout: this.#timeLeft, signal: this.#handshake.signal },
      (result) => {
        if (core.version !== undefined) return
        const { version, peer } = readInitializeResult(result, versions, profile)
        core.agreeOn(version, peer)
        core.link.negotiated?.(version)
        core.phases.fire('accept', clock.now())
        core.report({ type: 'negotiated', requested: String(params['protocolVersion']), version })
        core.sendNotification('notifications/initialized', undefined)
      },
    )
  }

  get #timeLeft(): number {
    const { clock, initialiseTimeout } = this.#core.settings
    return Math.max(0, this.#beganAt + initialiseTimeout - clock.now())
  }

  #ask(version: ProtocolVersion, repeated: boolean): void {
    const { versions } = this.#core.settings
    const era = new StatelessEra(this.#core, this.#requests, version)
    this.#probing = true
    const options = { timeout: this.#timeLeft, signal: this.#probe.signal }
    const asked = this.#requests.send(
      'server/discover',
      undefined,
      undefined,
      options,
      (result) => this.#heard(judgeAnswer(result, versions), version),
      era,
    )
    asked.catch((error: unknown) => this.#failed(error, version, repeated))
  }

  #failed(error: unknown, version: ProtocolVersion, repeated: boolean): void {
    if (this.#core.version !== undefined || this.#probe.signal.aborted) return
    if (this.#core.closed) return this.#linkEnded(error)
    if (error instanceof ParleyError && error.kind === 'request_timeout')
      return this.#reject(this.#nothingHeard(this.#shaking ? NEITHER : 'did not answer server/discover', error))
    this.#heard(judgeError(error, this.#core.settings.versions, repeated), version)
  }

  #heard(verdict: DiscoveryOutcome, asked: ProtocolVersion): void {
    // The handshake was faster.
    if (this.#core.version !== undefined) return
    this.#probing = false
    switch (verdict.type) {
      case 'agree':
        if (!this.#isDecidedByHandshake) return this.#agree(verdict, asked)
        this.#held = () => this.#agree(verdict, asked)
        return
      case 'again':
        return this.#ask(verdict.version, true)
      case 'handshake':
        return this.#fallBack(verdict.because)
      case 'fail':
        return this.#reject(verdict.error)
    }
  }

  /**
   * On a channel for all requests, the handshake selects the era of what follows. So its outcome counts even when
   * `server/discover` was answered first. Over HTTP each request names its era.
   */
  get #isDecidedByHandshake(): boolean {
    return this.#shaking && this.#refusal === undefined && this.#core.link.mirrors !== true
  }

  #agree({ version, peer, losses }: Extract<DiscoveryOutcome, { type: 'agree' }>, requested: ProtocolVersion): void {
    const core = this.#core
    core.agreeOn(version, peer, new StatelessEra(core, this.#requests, version))
    core.phases.fire('accept', core.settings.clock.now())
    core.report({ type: 'negotiated', requested, version })
    for (const loss of [...losses, ...extensionLosses(core.self.capabilities, 'D-40', 'server/discover')])
      core.onLoss(loss)
    this.#done(this.#handshake)
  }

  #fallBack(because: string): void {
    const { versions } = this.#core.settings
    if (versionsIn('handshake', versions).length === 0) return this.#reject(tooOld(because, versions))
    if (this.#refusal !== undefined) return this.#reject(this.#refusal)
    this.#tryHandshake()
  }

  #tryHandshake(): void {
    this.#cancelSilence?.()
    if (this.#shaking || this.#core.closed) return
    this.#shaking = true
    this.shakeHands().then(
      () => this.#done(this.#probe),
      (error: unknown) => this.#refused(error),
    )
  }

  #refused(error: unknown): void {
    if (this.#handshake.signal.aborted) return
    if (this.#core.closed) return this.#linkEnded(error)
    if (this.#held !== undefined) return this.#held()
    // A server without a handshake may still answer `server/discover`.
    if (this.#probing && !(error instanceof ParleyError && MEANT.has(error.kind))) this.#refusal = error
    else this.#reject(error)
  }

  #linkEnded(error: unknown): void {
    const reason = error instanceof Error && error.cause instanceof Error ? error.cause : undefined
    const kind = reason instanceof ParleyError ? reason.kind : ''
    // An HTTP error is not the end of a server process.
    if (MEANT.has(kind) || (reason !== undefined && HTTP.has(this.#core.link.transport))) return this.#reject(reason)
    if (
      !this.#probing ||
      this.#era === 'stateless' ||
      versionsIn('handshake', this.#core.settings.versions).length === 0
    )
      return this.#reject(error)
    const why = reason === undefined ? '' : `: ${reason.message}`
    const message = `The connection ended when the server was asked for server/discover${why}`
    this.#reject(new LostInDiscovery(message, reason ?? error))
  }

  #nothingHeard(did: string, cause: ParleyError): ParleyError {
    return new ParleyError('initialization_timeout', {
      message: `The server ${did} within ${this.#core.settings.initialiseTimeout} ms`,
      cause,
    })
  }

  #done(other: AbortController): void {
    other.abort()
    this.#resolve()
  }
}
