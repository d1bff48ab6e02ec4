/** Answers `resources/read`. */
import { ParleyError } from '../../errors/index.ts'
import type { ReadResourceResult } from '../../protocol/index.ts'
import { type Inbound, InputRequired } from '../../session/index.ts'
import { Context } from '../context.ts'
import type { Conversation } from '../conversation.ts'
import { isPromise } from '../definition.ts'
import type { FoundResource } from '../registry.ts'
import { toContents } from './contents.ts'
import { notFound } from './resource.ts'

type ReadOutcome = ReadResourceResult | InputRequired

export function readResource(conversation: Conversation, inbound: Inbound): ReadOutcome | Promise<ReadOutcome> {
  const uri = uriOf(inbound)
  const found = conversation.host.registry.find(uri)
  if (found === undefined) throw notFound(uri)
  try {
    const ctx = new Context(inbound, conversation)
    const returned = Context.outcome(ctx, found.definition.handler(found.variables, ctx))
    if (isPromise(returned)) return whenReturned(conversation, inbound, uri, found, ctx, returned)
    return finish(conversation, uri, found, ctx, returned)
  } catch (thrown) {
    throw failed(conversation, inbound, uri, thrown)
  }
}

export function uriOf(inbound: Inbound): string {
  const { uri } = inbound.params
  if (typeof uri !== 'string' || uri === '')
    throw new ParleyError('invalid_params', { message: '"uri" must be a non-empty string' })
  return uri
}

async function whenReturned(
  conversation: Conversation,
  inbound: Inbound,
  uri: string,
  found: FoundResource,
  ctx: Context,
  returning: PromiseLike<unknown>,
): Promise<ReadOutcome> {
  try {
    return finish(conversation, uri, found, ctx, await returning)
  } catch (thrown) {
    throw failed(conversation, inbound, uri, thrown)
  }
}

/** D-54: what is not there is an error, never an empty result. */
function finish(
  { host }: Conversation,
  uri: string,
  { definition }: FoundResource,
  ctx: Context,
  returned: unknown,
): ReadOutcome {
  if (returned instanceof InputRequired) return Context.withState(ctx, returned)
  if (returned === undefined || returned === null) throw notFound(uri)
  return { contents: toContents(uri, definition.mimeType, returned), ...(definition.cache ?? host.cache.resources) }
}

/** The error names the missing URI, also when the handler did not. */
function failed(conversation: Conversation, inbound: Inbound, uri: string, thrown: unknown): ParleyError {
  const error = conversation.failure(inbound, thrown, uri)
  return error.kind === 'resource_not_found' && error.data?.['uri'] === undefined ? notFound(uri) : error
}
