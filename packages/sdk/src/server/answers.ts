/** Which function answers which method. */
import type { Answered, Inbound } from '../session/index.ts'
import type { AnswerMethod, Conversation } from './conversation.ts'
import { isPromise } from './definition.ts'
import { listPage, lists } from './lists.ts'
import { getPrompt } from './prompts/get.ts'
import { readResource } from './resources/read.ts'
import { getSkill, listSkills, readDirectory } from './skills/answers.ts'
import { listen } from './subscriptions/listeners.ts'
import { subscribe, unsubscribe } from './subscriptions/subscribe.ts'
import { suggestValues } from './suggestions.ts'
import { callTool } from './tools/call.ts'

export const answers: ReadonlyMap<string, AnswerMethod> = new Map<string, AnswerMethod>([
  ['tools/call', callTool],
  ['resources/read', readResource],
  ['resources/subscribe', subscribe],
  ['resources/unsubscribe', unsubscribe],
  ['prompts/get', getPrompt],
  ['completion/complete', suggestValues],
  ['subscriptions/listen', listen],
  ...['tasks/get', 'tasks/result', 'tasks/update', 'tasks/list', 'tasks/cancel'].map(
    (method) => [method, aboutTask] as const,
  ),
  ['skills/list', listSkills],
  ['skills/get', getSkill],
  ['resources/directory/read', readDirectory],
  ['logging/setLevel', (conversation, inbound) => conversation.setLevel(inbound.params['level'])],
  ...[...lists.keys()].map((method) => [method, list] as const),
])

function aboutTask(conversation: Conversation, inbound: Inbound): Answered {
  return conversation.host.tasks.answer(inbound)
}

function list(conversation: Conversation, inbound: Inbound): Answered {
  const { registry, pageSize } = conversation.host
  const fail = (thrown: unknown): never => {
    throw conversation.failure(inbound, thrown)
  }
  try {
    const page = listPage(registry, inbound, pageSize, conversation.host.cache.lists)
    return isPromise(page) ? page.catch(fail) : page
  } catch (thrown) {
    return fail(thrown)
  }
}
