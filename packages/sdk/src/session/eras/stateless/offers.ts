/**
 * What a server offers, kept for each introduction: it may introduce itself differently to different clients (D-16).
 */
import type { ParleyError } from '../../../errors/index.ts'
import { type Body, Serialised } from '../../../jsonrpc/index.ts'
import { extensionLosses, serverCapabilitiesUp } from '../../../versions/index.ts'
import type { SessionCore } from '../../core.ts'
import type { Introduction } from '../../endpoint.ts'
import type { Route } from '../../routes.ts'
import { EnvelopeCaller } from './caller.ts'
import type { Envelope } from './envelope.ts'
import type { Framing } from './framing.ts'
import { statelessBreach } from './guard.ts'

interface Offer {
  /** Methods that were found to be allowed. */
  readonly cleared: Set<string>
  discovery?: { readonly isForAll: boolean; readonly text: Serialised }
}

export class Offers {
  readonly #core: SessionCore
  /** For each introduction, so that clients of two kinds that take turns do not clear it for each other. */
  readonly #offers = new WeakMap<Introduction, Offer>()

  constructor(core: SessionCore) {
    this.#core = core
  }

  /** The error when the server does not offer the method to the sender of this envelope. */
  breach(route: Route, envelope: Envelope): ParleyError | undefined {
    const introduction = this.#core.endpoint.introduce(envelope.capabilities)
    const { cleared } = this.#of(introduction)
    if (cleared.has(route.method)) return undefined
    const refused = statelessBreach(route, new EnvelopeCaller(envelope), introduction)
    // Methods of extensions depend on the caller as well, and unknown methods come from peers.
    if (refused === undefined && route.info !== undefined) cleared.add(route.method)
    return refused
  }

  /** The answer to `server/discover`. The same until the server changes, for all clients with the same introduction. */
  discovery({ capabilities }: Envelope, framing: Framing): Serialised {
    const introduction = this.#core.endpoint.introduce(capabilities)
    const isForAll = introduction === this.#core.endpoint.introduce()
    const offer = this.#of(introduction)
    if (offer.discovery?.isForAll !== isForAll) {
      const result = this.#result(introduction, isForAll)
      offer.discovery = { isForAll, text: new Serialised(JSON.stringify(framing.framed('server/discover', result))) }
    }
    return offer.discovery.text
  }

  #result({ capabilities, instructions, ttlMs, cacheScope }: Introduction, isForAll: boolean): Body {
    for (const loss of extensionLosses(capabilities, 'D-41', 'server/discover')) this.#core.onLoss(loss)
    const result: Body = {
      supportedVersions: [...this.#core.settings.versions].reverse(),
      capabilities: serverCapabilitiesUp(capabilities),
    }
    if (instructions !== undefined) result['instructions'] = instructions
    if (ttlMs !== undefined) result['ttlMs'] = ttlMs
    // A shared cache would show it to clients for which it is not true.
    if (cacheScope !== undefined) result['cacheScope'] = isForAll ? cacheScope : 'private'
    return result
  }

  #of(introduction: Introduction): Offer {
    const known = this.#offers.get(introduction)
    if (known !== undefined) return known
    const offer: Offer = { cleared: new Set() }
    this.#offers.set(introduction, offer)
    return offer
  }
}
