/** The sender of one request of the stateless era, as the envelope of the request describes it. */
import { type Capabilities, declares } from '../../../protocol/index.ts'
import { methodIn, type ProtocolVersion } from '../../../versions/index.ts'
import type { Caller, Identity } from '../../endpoint.ts'
import type { Envelope } from './envelope.ts'

export class EnvelopeCaller implements Caller {
  readonly #envelope: Envelope

  constructor(envelope: Envelope) {
    this.#envelope = envelope
  }

  get version(): ProtocolVersion {
    return this.#envelope.version
  }

  get info(): Identity | undefined {
    const { info } = this.#envelope
    if (info === undefined) return undefined
    const { name, version } = info
    return {
      ...info,
      name: typeof name === 'string' ? name : 'unknown',
      version: typeof version === 'string' ? version : '0',
    }
  }

  get capabilities(): Capabilities {
    return this.#envelope.capabilities
  }

  declares(path: string): boolean {
    return declares(this.#envelope.capabilities, path)
  }

  /** What was a request of the server's own is now a question inside a result. */
  can(method: string): boolean {
    const info = methodIn(this.version, method)
    if (info?.from !== 'embedded') return false
    const needed = info.needs?.server
    return needed === undefined || this.declares(needed.slice('client.'.length))
  }
}
