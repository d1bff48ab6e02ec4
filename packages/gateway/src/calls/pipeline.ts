/** What happens to a call to one server, in order: each line is a stage, which has a file of its own. */
import { askingMethods, cacheableMethods } from 'parley-mcp/engine'
import { cache, keepResult } from './cache.ts'
import { converse } from './converse.ts'
import { FOLLOWING_METHODS, follow } from './follow.ts'
import { limitServer } from './limit-server.ts'
import { queue } from './queue.ts'
import { LIST_METHODS, recallList } from './recall-list.ts'
import { requireServer } from './require-server.ts'
import { send } from './send.ts'
import { settle } from './settle.ts'
import { nameTool, showTools } from './show-tools.ts'
import { Pipeline, stage } from './stage.ts'
import { takeTurns } from './take-turns.ts'
import { runTasks } from './tasks/run-tasks.ts'
import { retryAfterLinks, visitLinks } from './visit-links.ts'

/** A client of the stateless era with a server of the handshake era, and requests during which the server may ask. */
const LENT = { client: 'stateless', server: 'handshake' } as const

export const stages = [
  stage(requireServer, 'a server that is down refuses at once', { client: 'stateless' }),
  stage(cache, 'results that are still fresh', { methods: cacheableMethods }),
  stage(converse, "which conversation with the server: the client's own, shared, the user's, or one for this call", {
    choosesConversation: true,
  }),
  stage(follow, 'log levels, subscriptions and listening: answered by the gateway', { methods: FOLLOWING_METHODS }),
  stage(keepResult, 'results that the server says stay fresh', { server: 'stateless', methods: cacheableMethods }),
  stage(retryAfterLinks, 'made again when the server has seen the user open a link', {
    ...LENT,
    methods: askingMethods,
  }),
  stage(takeTurns, 'one at a time where a question names no call', { ...LENT, methods: askingMethods }),
  stage(nameTool, "the tool's own name at the server", { methods: ['tools/call'] }),
  stage(runTasks, 'task ⇄ tasks extension ⇄ plain wait', { methods: ['tools/call', 'tasks/*'] }),
  stage(settle, "the answer, or the error, in the client's version, with what was lost"),
  stage(visitLinks, '-32042 → a question in URL mode', LENT),
  stage(recallList, 'a list that has not changed since it was last read', { methods: LIST_METHODS }),
  stage(showTools, 'tools as the configuration shows them', { methods: ['tools/list'] }),
  stage(limitServer, 'so many requests to one server in a time'),
  stage(queue, 'so many requests at a time; the slot is given back while a person thinks'),
]

export const pipeline = new Pipeline(stages, send)
