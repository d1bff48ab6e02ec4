/** The client's endpoint of a session: its name, its capabilities, and its answers to requests of the server. */
import { type ErrorKind, ParleyError } from '../../errors/index.ts'
import type { Body } from '../../jsonrpc/index.ts'
import { type ClientCapabilities, TASKS_EXTENSION } from '../../protocol/index.ts'
import {
  type Endpoint,
  type Identity,
  type Inbound,
  type Introduction,
  runsTasks,
  type Session,
  TaskReceiver,
} from '../../session/index.ts'
import { isOwnFault, type Report, reporter } from '../error-reporter.ts'
import type { ConnectOptions } from '../options.ts'
import { answerElicitation, elicitHandlers } from './elicitation.ts'
import { answerRoots } from './roots.ts'
import { answerSampling, sampleOffer } from './sampling.ts'

type Offer = Pick<ConnectOptions, 'elicit' | 'sample' | 'roots' | 'tasks' | 'experimental' | 'extensions' | 'onError'>

type Answer = (inbound: Inbound) => Promise<Body>

/** Invalid answers of handlers. Sessions report only errors that they mask. */
const REPORTED: readonly ErrorKind[] = ['invalid_answer']
/** In a task, masked errors are reported only here. */
const REPORTED_IN_TASKS: readonly ErrorKind[] = [...REPORTED, 'internal_error']

/** The header parameters of tools, and how to reload them. */
export type ToolHeaders = Required<Pick<Endpoint, 'headerParams' | 'headersRefused'>>

/** The endpoint of a proxy, which answers instead of this client. Header parameters only if it knows the tools. */
export type RelayedEndpoint = Pick<
  Endpoint,
  'introduce' | 'answer' | 'notified' | 'refusing' | 'closed' | 'headerParams' | 'headersRefused'
>

/** The proxy answers. The client handles header parameters, unless the proxy knows them. */
export function relayedEndpoint(endpoint: RelayedEndpoint, headers: ToolHeaders): Endpoint {
  return {
    introduce: () => endpoint.introduce(),
    answer: (inbound) => endpoint.answer(inbound),
    notified: (method, params, session, owner) => endpoint.notified?.(method, params, session, owner),
    refusing: (method, error) => endpoint.refusing?.(method, error) ?? error,
    closed: (session, reason) => endpoint.closed?.(session, reason),
    headerParams: (tool) => endpoint.headerParams?.(tool) ?? headers.headerParams(tool),
    headersRefused: (tool) =>
      endpoint.headersRefused === undefined ? headers.headersRefused(tool) : endpoint.headersRefused(tool),
  }
}

/** Derives the capabilities from the handlers. */
export function capabilitiesFrom(offer: Offer): ClientCapabilities {
  const capabilities: ClientCapabilities = {}
  const { form, url } = elicitHandlers(offer.elicit)
  if (form !== undefined || url !== undefined)
    capabilities.elicitation = { ...(form && { form: {} }), ...(url && { url: {} }) }
  if (offer.sample !== undefined) {
    const { tools, context } = sampleOffer(offer.sample)
    capabilities.sampling = { ...(tools && { tools: {} }), ...(context && { context: {} }) }
  }
  const tasks = taskCapabilities(capabilities, offer.tasks)
  if (tasks !== undefined) capabilities.tasks = tasks
  if (offer.roots !== undefined) capabilities.roots = { listChanged: true }
  if (offer.experimental !== undefined) capabilities.experimental = offer.experimental
  const extensions = offer.tasks === false ? offer.extensions : { ...offer.extensions, [TASKS_EXTENSION]: {} }
  if (extensions !== undefined) capabilities.extensions = extensions
  return capabilities
}

/** Sampling and elicitation can also run as tasks. */
function taskCapabilities(
  { sampling, elicitation }: ClientCapabilities,
  option: Offer['tasks'],
): ClientCapabilities['tasks'] {
  if (!option || (sampling === undefined && elicitation === undefined)) return undefined
  const requests = {
    ...(sampling && { sampling: { createMessage: {} } }),
    ...(elicitation && { elicitation: { create: {} } }),
  }
  return { list: {}, cancel: {}, requests }
}

export class ClientEndpoint implements Endpoint {
  readonly #introduction: Introduction
  readonly #answers = new Map<string, Answer>()
  readonly #tasks: TaskReceiver | undefined
  readonly #headers: ToolHeaders | undefined
  readonly #report: Report

  constructor(info: Identity, offer: Offer, headers?: ToolHeaders) {
    this.#headers = headers
    this.#report = reporter(offer)
    this.#introduction = { info, capabilities: capabilitiesFrom(offer) }
    const { elicit, sample, roots } = offer
    if (this.#introduction.capabilities['tasks'] !== undefined) {
      this.#tasks = new TaskReceiver(typeof offer.tasks === 'object' ? offer.tasks : {}, this.#report)
    }
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
    if (this.#tasks !== undefined && inbound.method.startsWith('tasks/')) return this.#tasks.answer(inbound)
    const answer = this.#answers.get(inbound.method)
    if (answer === undefined)
      throw new ParleyError('method_not_found', {
        message: `This client does not answer ${inbound.method.slice(0, 64)}`,
      })
    if (
      this.#tasks === undefined ||
      inbound.params['task'] === undefined ||
      !runsTasks(inbound.session, inbound.method)
    ) {
      // The session reports errors of a question inside a result.
      return inbound.session.stateful
        ? answer(inbound).catch((error) => this.#reportOwnFault(error, inbound, REPORTED))
        : answer(inbound)
    }
    return this.#tasks.accept(inbound, (task) =>
      answer(task).catch((error) => this.#reportOwnFault(error, task, REPORTED_IN_TASKS)),
    )
  }

  /** The server gets an error, but the fault is in a handler on this side. */
  #reportOwnFault(
    error: unknown,
    { method, cancelled }: Pick<Inbound, 'method' | 'cancelled'>,
    kinds: readonly ErrorKind[],
  ): never {
    if (!cancelled && isOwnFault(error, kinds)) this.#report((error as Error).cause ?? error, `answering ${method}`)
    throw error
  }

  headerParams(tool: string): ReturnType<ToolHeaders['headerParams']> {
    return this.#headers?.headerParams(tool)
  }

  headersRefused(tool: string): void | Promise<void> {
    return this.#headers?.headersRefused(tool)
  }

  closed(session: Session): void {
    this.#tasks?.release(session)
  }
}
