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

/** A client without a session gets a lent conversation with a server of the handshake era. */
const LENT = { client: 'stateless', server: 'handshake' } as const

/** Requests of clients, without those that the gateway makes for a list of all servers. */
const SENT = { from: ['server', 'all'] } as const
const TO_ALL = { from: ['all'] } as const

/** What stages need of the whole gateway. */
export interface PipelineSettings {
  readonly clients?: ClientLimit | undefined
}

export const stagesOf = ({ clients }: PipelineSettings): readonly CallStage[] => [
  ...(clients === undefined ? [] : [stage(limitClient(clients), 'limits the rate of one client', SENT)]),
  stage(logClient, 'logs clients without a session', { ...SENT, client: 'stateless' }),
  stage(refuseLoops, 'refuses calls that come back through another gateway', TO_ALL),
  stage(mergeLists, 'merges the lists of all servers', { ...TO_ALL, methods: [...LIST_METHODS, 'tasks/list'] }),
  stage(followAll, 'answers requests to follow something at all servers', { ...TO_ALL, methods: FOLLOWING_METHODS }),
  stage(readStatus, 'answers the status of the servers', { ...TO_ALL, methods: ['resources/read'] }),
  stage(route, 'finds the server, and the names there', TO_ALL),
  stage(rename, "puts the client's names into the answer", TO_ALL),
  stage(requireServer, 'refuses calls to a server that is down', { client: 'stateless' }),
  stage(cache, 'answers with results that are still fresh', { methods: cacheableMethods }),
  stage(converse, "chooses the conversation: the client's own, shared, the user's, or one for this call", {
    choosesConversation: true,
  }),
  stage(follow, 'answers requests to follow something: log levels, resources, lists', {
    from: ['server'],
    methods: FOLLOWING_METHODS,
  }),
  stage(keepResult, 'caches results that the server says stay fresh', {
    server: 'stateless',
    methods: cacheableMethods,
  }),
  stage(retryAfterLinks, 'makes the call again when the user has opened the web page', {
    ...LENT,
    methods: askingMethods,
  }),
  stage(takeTurns, 'runs one call at a time where a question of the server does not say to which call it belongs', {
    ...LENT,
    methods: askingMethods,
  }),
  stage(nameTool, "puts in the tool's name at the server", { methods: ['tools/call'] }),
  stage(runTasks, 'turns tasks into the tasks extension or a plain wait, and back', {
    methods: ['tools/call', 'tasks/*'],
  }),
  stage(settle, "puts the answer or error into the client's version, with the losses"),
  stage(visitLinks, 'turns the error -32042 into a question in URL mode', LENT),
  stage(recallList, 'reuses the answer if a list has not changed', { methods: LIST_METHODS }),
  stage(showTools, 'shows the tools that the configuration allows', { methods: ['tools/list'] }),
  stage(limitServer, 'limits the rate to one server'),
  stage(queue, 'limits concurrent requests; lends the slot while the client answers a question'),
]

export const createPipeline = (settings: PipelineSettings = {}): Pipeline => new Pipeline(stagesOf(settings), send)
