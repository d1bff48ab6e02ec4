/** The client's side of a session as an endpoint: introduces it, and answers what servers may ask of it. */
import { ParleyError } from '../errors/index.ts'
import type { Body } from '../jsonrpc/index.ts'
import type { ClientCapabilities } from '../protocol/index.ts'
import type { Endpoint, Identity, Inbound, Introduction } from '../session/index.ts'
import { answerElicitation, elicitHandlers } from './elicitation.ts'
import type { ConnectOptions } from './options.ts'
import { answerRoots } from './roots.ts'
import { answerSampling, sampleOffer } from './sampling.ts'

type Offer = Pick<ConnectOptions, 'elicit' | 'sample' | 'roots' | 'experimental' | 'extensions'>

type Answer = (inbound: Inbound) => Promise<Body>

/** Capabilities follow from the handlers that were given; they are never declared by hand. */
export function capabilitiesFrom(offer: Offer): ClientCapabilities {
  const capabilities: ClientCapabilities = {}
  const { form, url } = elicitHandlers(offer.elicit)
  if (form !== undefined || url !== undefined) capabilities.elicitation = { ...(form && { form: {} }), ...(url && { url: {} }) }
  if (offer.sample !== undefined) {
    const { tools, context } = sampleOffer(offer.sample)
    capabilities.sampling = { ...(tools && { tools: {} }), ...(context && { context: {} }) }
  }
  if (offer.roots !== undefined) capabilities.roots = { listChanged: true }
  if (offer.experimental !== undefined) capabilities.experimental = offer.experimental
  if (offer.extensions !== undefined) capabilities.extensions = offer.extensions
  return capabilities
}

export class ClientEndpoint implements Endpoint {
  readonly #introduction: Introduction
  readonly #answers = new Map<string, Answer>()

  constructor(info: Identity, offer: Offer) {
    this.#introduction = { info, capabilities: capabilitiesFrom(offer) }
    const { elicit, sample, roots } = offer
    if (elicit !== undefined) {
      const handlers = elicitHandlers(elicit)
      this.#answers.set('elicitation/create', (inbound) => answerElicitation(inbound, handlers))
    }
    if (sample !== undefined) {
      const model = sampleOffer(sample)
      this.#answers.set('sampling/createMessage', (inbound) => answerSampling(inbound, model))
    }
    if (roots !== undefined) this.#answers.set('roots/list', () => answerRoots(roots))
  }

  introduce(): Introduction {
    return this.#introduction
  }

  answer(inbound: Inbound): Promise<Body> {
    const answer = this.#answers.get(inbound.method)
    if (answer === undefined) throw new ParleyError('method_not_found', { message: `This client does not answer ${inbound.method.slice(0, 64)}` })
    return answer(inbound)
  }
}
