/** One request of the peer in the stateless era: its envelope says who sends it, and it is answered in an envelope. */
import type { ParleyError } from '../../../errors/index.ts'
import type { Body, FrameOrigin, RequestId, RequestMessage, Serialised } from '../../../jsonrpc/index.ts'
import type { LogLevel } from '../../../protocol/index.ts'
import type { ProtocolVersion } from '../../../versions/index.ts'
import { isRetry } from '../../asking/parking.ts'
import type { Answer, Caller, InputRequired } from '../../endpoint.ts'
import type { InboundCall } from '../../incoming/inbound-call.ts'
import { shutDownUnanswered } from '../../outgoing/request-errors.ts'
import type { EngineRequestOptions } from '../../request-options.ts'
import type { CallEra } from '../era.ts'
import { EnvelopeCaller } from './caller.ts'
import type { Envelope } from './envelope.ts'
import type { StatelessServer } from './server.ts'
import { type ErrorStatus, statusFor, statusOfAnswer } from './status.ts'

export class StatelessCall implements CallEra {
  readonly principal: string | undefined
  readonly address: string | undefined
  readonly #server: StatelessServer
  readonly #envelope: Envelope
  readonly #key: RequestId

  constructor(
    server: StatelessServer,
    envelope: Envelope,
    key: RequestId,
    principal: string | undefined,
    origin: FrameOrigin | undefined,
  ) {
    this.#server = server
    this.#envelope = envelope
    this.#key = key
    this.principal = principal
    this.address = origin?.address
  }

  get logLevel(): LogLevel | undefined {
    return this.#envelope.logLevel
  }

  get version(): ProtocolVersion {
    return this.#envelope.version
  }

  keyOf(): RequestId {
    return this.#key
  }

  callerIn(): Caller {
    return new EnvelopeCaller(this.#envelope)
  }

  metadataOf(): Body {
    return this.#envelope.meta
  }

  answer(call: InboundCall, message: RequestMessage): Answer | Promise<Answer> {
    return isRetry(message) ? this.#server.parking.comeBack(call) : this.#server.begin(call)
  }

  askFirst(call: InboundCall, required: InputRequired): Promise<Answer> {
    return this.#server.parking.shownState(call, required)
  }

  /** Without a signal of its own: many calls may wait for long, and cancelling the call withdraws its questions. */
  ask(call: InboundCall, method: string, params: Body | undefined, options: EngineRequestOptions): Promise<Body> {
    return this.#server.ask(call, method, params, options)
  }

  notify(call: InboundCall, method: string, params: Body | undefined): void {
    this.#server.notify(call, this.#key, method, params)
  }

  release(): void {}

  written(call: InboundCall, result: Body): Body {
    return this.#server.written(call, result)
  }

  resultText(call: InboundCall, result: Body | Serialised): string {
    return this.#server.resultText(call, result)
  }

  statusOf({ route }: InboundCall, error: ParleyError): ErrorStatus {
    return route.info === undefined ? statusFor(error) : statusOfAnswer(error)
  }

  refuse(id: RequestId, error: ParleyError): void {
    this.#server.refuse(id, this.#key, error)
  }

  answered(call: InboundCall): void {
    this.#server.answered(call)
  }

  unanswered(): ParleyError {
    return shutDownUnanswered()
  }
}
