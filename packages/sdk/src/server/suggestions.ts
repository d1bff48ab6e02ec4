/** Answers `completion/complete`. */
import { ParleyError } from '../errors/index.ts'
import { isObject } from '../jsonrpc/index.ts'
import type { CompleteResult } from '../protocol/index.ts'
import type { Inbound } from '../session/index.ts'
import { type Completers, complete } from './completion.ts'
import type { Conversation } from './conversation.ts'
import { unknownPrompt } from './prompts/get.ts'
import type { Registry } from './registry.ts'

export async function suggestValues(conversation: Conversation, inbound: Inbound): Promise<CompleteResult> {
  const { ref, argument, context } = inbound.params
  const subject = await completable(conversation.host.registry, ref)
  if (!isObject(argument) || typeof argument['name'] !== 'string' || typeof argument['value'] !== 'string') {
    throw new ParleyError('invalid_params', { message: '"argument" must have a name and a value, both strings' })
  }
  const { name, value } = argument
  if (!subject.names.includes(name))
    throw new ParleyError('invalid_params', { message: `There is no argument "${name.slice(0, 200)}" to complete` })
  const completer = Object.hasOwn(subject.completers, name) ? subject.completers[name] : undefined
  try {
    return await complete(completer, value, {
      arguments: argumentsOf(context),
      get signal() {
        return inbound.signal
      },
    })
  } catch (thrown) {
    throw conversation.failure(inbound, thrown, name)
  }
}

interface Completable {
  readonly names: readonly string[]
  readonly completers: Completers
}

/** What a reference points to; a fixed resource has nothing to complete. */
async function completable(registry: Registry, ref: unknown): Promise<Completable> {
  if (isObject(ref) && ref['type'] === 'ref/prompt' && typeof ref['name'] === 'string') {
    const prompt = registry.prompts.get(ref['name'])
    if (prompt === undefined) throw unknownPrompt(ref['name'])
    return { names: (await prompt.arguments.list()).map(({ name }) => name), completers: prompt.completers }
  }
  if (isObject(ref) && ref['type'] === 'ref/resource' && typeof ref['uri'] === 'string') {
    const template = registry.templates.get(ref['uri']) ?? registry.find(ref['uri'])?.definition
    if (template === undefined)
      throw new ParleyError('invalid_params', { message: `Unknown resource template: ${ref['uri'].slice(0, 200)}` })
    return 'template' in template
      ? { names: template.template.variables, completers: template.completers }
      : { names: [], completers: {} }
  }
  throw new ParleyError('invalid_params', {
    message: '"ref" must be { type: "ref/prompt", name } or { type: "ref/resource", uri }',
  })
}

function argumentsOf(context: unknown): Record<string, string> {
  const given = isObject(context) && isObject(context['arguments']) ? context['arguments'] : {}
  return Object.fromEntries(
    Object.entries(given).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}
