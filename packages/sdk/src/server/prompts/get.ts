/** Answers `prompts/get`. */
import { ParleyError } from '../../errors/index.ts'
import type { GetPromptResult } from '../../protocol/index.ts'
import { type Inbound, InputRequired } from '../../session/index.ts'
import { Context } from '../context.ts'
import type { Conversation } from '../conversation.ts'
import { promptResult } from './messages.ts'
import type { DefinedPrompt } from './prompt.ts'

export async function getPrompt(
  conversation: Conversation,
  inbound: Inbound,
): Promise<GetPromptResult | InputRequired> {
  const { name, arguments: given } = inbound.params
  if (typeof name !== 'string') throw new ParleyError('invalid_params', { message: '"name" must be a string' })
  const prompt = conversation.host.registry.prompts.get(name)
  if (prompt === undefined) throw unknownPrompt(name)
  try {
    const args = await prompt.check(given)
    const ctx = new Context(inbound, conversation)
    const returned = await run(inbound, prompt, args, ctx)
    return returned instanceof InputRequired
      ? Context.withState(ctx, returned)
      : promptResult(prompt.description, returned)
  } catch (thrown) {
    throw conversation.failure(inbound, thrown, name)
  }
}

function run(inbound: Inbound, prompt: DefinedPrompt, args: unknown, ctx: Context): unknown {
  if (inbound.cancelled) throw new ParleyError('request_cancelled')
  return Context.outcome(ctx, prompt.handler(args, ctx))
}

export function unknownPrompt(name: string): ParleyError {
  return new ParleyError('prompt_not_found', {
    message: `Unknown prompt: ${name.slice(0, 200)}`,
    data: { name: name.slice(0, 200) },
  })
}
