/** What happens to a call, in order. Each line is a stage. */
import { askingMethods, cacheableMethods } from 'parley-mcp/engine'
import type { ClientLimit } from '../limits/index.ts'
import { type CallStage, Pipeline, stage } from './stage.ts'
import { cache, keepResult } from './stages/cache.ts'
import { converse } from './stages/converse.ts'
import { FOLLOWING_METHODS, follow } from './stages/follow.ts'
import { limitClient } from './stages/limit-client.ts'
import { limitServer } from './stages/limit-server.ts'
import { logClient } from './stages/log-client.ts'
import { queue } from './stages/queue.ts'
import { LIST_METHODS, recallList } from './stages/recall-list.ts'
import { requireServer } from './stages/require-server.ts'
import { followAll, mergeLists, refuseLoops, rename, route } from './stages/route.ts'
import { send } from './stages/send.ts'
import { settle } from './stages/settle.ts'
import { nameTool, showTools } from './stages/show-tools.ts'
import { readStatus } from './stages/status.ts'
import { takeTurns } from './stages/take-turns.ts'
import { retryAfterLinks, visitLinks } from './stages/visit-links.ts'
import { runTasks } from './tasks/run-tasks.ts'

/** A client of the stateless era with a server of the handshake era, and requests during which the server may ask. */
const LENT = { client: 'stateless', server: 'handshake' } as const

/** Calls that a client sent, but for those the gateway makes of them for a list of all servers. */
const SENT = { from: ['server', 'all'] } as const
const TO_ALL = { from: ['all'] } as const

/** What the pipeline of a gateway is made of, beside the stages that every gateway has. */
export interface PipelineSettings {
  readonly clients?: ClientLimit | undefined
}

export const stagesOf = ({ clients }: PipelineSettings): readonly CallStage[] => [
  ...(clients === undefined ? [] : [stage(limitClient(clients), 'so many requests of one client in a time', SENT)]),
  stage(logClient, 'which clients without a session there are', { ...SENT, client: 'stateless' }),
  stage(refuseLoops, 'no gateway that stands behind this one', TO_ALL),
  stage(mergeLists, 'lists of all servers as one', { ...TO_ALL, methods: [...LIST_METHODS, 'tasks/list'] }),
  stage(followAll, 'log levels, subscriptions and listening at all servers', { ...TO_ALL, methods: FOLLOWING_METHODS }),
  stage(readStatus, 'how the servers are', { ...TO_ALL, methods: ['resources/read'] }),
  stage(route, 'which server, and the names there', TO_ALL),
  stage(rename, "the answer, in the client's names", TO_ALL),
  stage(requireServer, 'a server that is down refuses at once', { client: 'stateless' }),
  stage(cache, 'results that are still fresh', { methods: cacheableMethods }),
  stage(converse, "which conversation with the server: the client's own, shared, the user's, or one for this call", {
    choosesConversation: true,
  }),
  stage(follow, 'log levels, subscriptions and listening: answered by the gateway', {
    from: ['server'],
    methods: FOLLOWING_METHODS,
  }),
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

export const createPipeline = (settings: PipelineSettings = {}): Pipeline => new Pipeline(stagesOf(settings), send)
