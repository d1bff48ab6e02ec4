/**
 * What follows from what a server offers, found out once for each introduction: it may introduce itself in other words
 * to clients of another kind (D-16).
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
  /**
   * By introduction and not only for the latest, so that clients of two kinds that take turns do not make each other's
   * be found out anew.
   */
  readonly #offers = new WeakMap<Introduction, Offer>()

  constructor(core: SessionCore) {
    this.#core = core
  }

  /** Why the server does not take this request, by what it has offered to who makes it. */
  breach(route: Route, envelope: Envelope): ParleyError | undefined {
    const introduction = this.#core.endpoint.introduce(envelope.capabilities)
    const { cleared } = this.#of(introduction)
    if (cleared.has(route.method)) return undefined
    const refused = statelessBreach(route, new EnvelopeCaller(envelope), introduction)
    // Methods of extensions also depend on the caller, and unknown ones come from peers.
    if (refused === undefined && route.info !== undefined) cleared.add(route.method)
    return refused
  }

  /** The same until the server changes, for everybody whom it tells the same. */
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
    // Whoever keeps it for others would show them what they cannot have.
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
