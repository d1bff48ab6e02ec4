/** Every method of a version, with generators for its parts. */
import fc from 'fast-check'
import { eraOf, isAtLeast, type ProtocolVersion } from '../../../src/versions/index.ts'
import {
  completionParams,
  completionResult,
  prompt,
  promptMessage,
  resource,
  resourceTemplate,
  root,
  stringArguments,
} from './catalogue.ts'
import { resourceContents } from './content.ts'
import { elicitationParams, elicitationResult } from './elicitation.ts'
import {
  bareNotification,
  cacheableResult,
  emptyResult,
  notificationParams,
  optionalParams,
  params,
  result,
  subscribedMeta,
} from './envelope.ts'
import { clientCapabilities, implementation, serverCapabilities } from './metadata.ts'
import { inputRequired, roundFields } from './rounds.ts'
import { samplingParams, samplingResult } from './sampling.ts'
import { type Fields, meta, type ObjectArb, open, since, V03, V06, V11, V24, V26 } from './shape.ts'
import { createTaskResult, task, taskBody, taskMetadata } from './tasks.ts'
import { callContext, calledTool, callResult, tool } from './tools.ts'
import {
  count,
  flag,
  fraction,
  identifier,
  json,
  jsonObject,
  listOf,
  logLevel,
  strings,
  text,
  uri,
  word,
} from './values.ts'

type Json = Record<string, unknown>
type MaybeBody = fc.Arbitrary<Json | undefined>

/** A result, with what is known of the request it answers. */
export interface Answer {
  readonly body: Json
  /** Parameters of the request. */
  readonly request?: Json
  /** The definition of the tool that was called. */
  readonly tool?: Json
}

export interface MethodArbitraries {
  readonly method: string
  readonly params: MaybeBody
  /** Absent for notifications. */
  readonly result?: fc.Arbitrary<Answer>
}

const bare = (body: ObjectArb): fc.Arbitrary<Answer> => body.map((value) => ({ body: value }))
const request = (method: string, params: MaybeBody, result: ObjectArb): MethodArbitraries => ({
  method,
  params,
  result: bare(result),
})
const notification = (method: string, params: MaybeBody): MethodArbitraries => ({ method, params })

/** Adds the answers that are not results of the method itself: a task, or more questions. */
function augmented(version: ProtocolVersion, body: ObjectArb, others: { tasks?: true; rounds?: true }): ObjectArb {
  if (version === V11 && others.tasks)
    return fc.oneof({ weight: 6, arbitrary: body }, { weight: 1, arbitrary: createTaskResult })
  if (isAtLeast(version, V26) && others.rounds)
    return fc.oneof({ weight: 5, arbitrary: body }, { weight: 1, arbitrary: inputRequired })
  return body
}

const rounds = (version: ProtocolVersion): Fields => since(version, V26, roundFields)
const paged = (version: ProtocolVersion): MaybeBody => optionalParams(version, { cursor: text })
const list = (version: ProtocolVersion, key: string, item: ObjectArb): ObjectArb =>
  cacheableResult(version, { [key]: listOf(item) }, { nextCursor: text })

function shared(version: ProtocolVersion): MethodArbitraries[] {
  const elicitations = elicitationParams(version)
  return [
    request('tools/list', paged(version), list(version, 'tools', tool(version))),
    {
      method: 'tools/call',
      params: params(
        version,
        { name: word },
        { arguments: jsonObject, ...rounds(version), ...(version === V11 ? { task: taskMetadata } : {}) },
      ),
      result: fc
        .tuple(
          augmented(version, callResult(version), { tasks: true, rounds: true }),
          callContext,
          fc.option(calledTool(version), { nil: undefined }),
        )
        .map(([body, asked, called]) => ({ body, request: asked, ...(called === undefined ? {} : { tool: called }) })),
    },
    request('prompts/list', paged(version), list(version, 'prompts', prompt(version))),
    request(
      'prompts/get',
      params(version, { name: word }, { arguments: stringArguments, ...rounds(version) }),
      augmented(version, result(version, { messages: listOf(promptMessage(version)) }, { description: text }), {
        rounds: true,
      }),
    ),
    request('resources/list', paged(version), list(version, 'resources', resource(version))),
    request('resources/templates/list', paged(version), list(version, 'resourceTemplates', resourceTemplate(version))),
    {
      method: 'resources/read',
      params: params(version, { uri }, rounds(version)),
      result: fc
        .tuple(
          augmented(version, cacheableResult(version, { contents: listOf(resourceContents(version), 2) }), {
            rounds: true,
          }),
          uri,
        )
        .map(([body, asked]) => ({ body, request: { uri: asked } })),
    },
    request('completion/complete', completionParams(version), completionResult(version)),
    request(
      'sampling/createMessage',
      samplingParams(version),
      augmented(version, samplingResult(version), { tasks: true }),
    ),
    request(
      'roots/list',
      isAtLeast(version, V26) ? fc.option(open({}, { _meta: meta }), { nil: undefined }) : optionalParams(version),
      isAtLeast(version, V26)
        ? open({ roots: listOf(root(version)) })
        : result(version, { roots: listOf(root(version)) }),
    ),
    ...(isAtLeast(version, V06)
      ? [
          {
            method: 'elicitation/create',
            params: elicitations,
            result: elicitations.chain((question) =>
              augmented(version, elicitationResult(version, question), { tasks: true }).map((body) => ({
                body,
                request: question,
              })),
            ),
          },
        ]
      : []),
    notification('notifications/cancelled', cancelled(version)),
    notification(
      'notifications/progress',
      notificationParams(
        version,
        { progressToken: identifier, progress: fc.oneof(count, fraction) },
        { total: count, ...since(version, V03, { message: text }) },
      ),
    ),
    notification(
      'notifications/message',
      notificationParams(version, { level: logLevel, data: json }, { logger: word }),
    ),
    notification('notifications/tools/list_changed', bareNotification(version)),
    notification('notifications/prompts/list_changed', bareNotification(version)),
    notification('notifications/resources/list_changed', bareNotification(version)),
    notification('notifications/resources/updated', notificationParams(version, { uri })),
  ]
}

const cancelled = (version: ProtocolVersion): ObjectArb =>
  version === V11
    ? notificationParams(version, {}, { requestId: identifier, reason: text })
    : notificationParams(version, { requestId: identifier }, { reason: text })

const handshake = (version: ProtocolVersion): MethodArbitraries[] => [
  request(
    'initialize',
    params(version, {
      protocolVersion: fc.constant(version),
      capabilities: clientCapabilities(version),
      clientInfo: implementation(version),
    }),
    result(
      version,
      {
        protocolVersion: fc.constant(version),
        capabilities: serverCapabilities(version),
        serverInfo: implementation(version),
      },
      { instructions: text },
    ),
  ),
  request('ping', optionalParams(version), emptyResult(version)),
  request('resources/subscribe', params(version, { uri }), emptyResult(version)),
  request('resources/unsubscribe', params(version, { uri }), emptyResult(version)),
  request('logging/setLevel', params(version, { level: logLevel }), emptyResult(version)),
  notification('notifications/initialized', bareNotification(version)),
  notification('notifications/roots/list_changed', bareNotification(version)),
]

const tasks = (version: ProtocolVersion): MethodArbitraries[] => [
  request('tasks/get', params(version, { taskId: word }), taskBody),
  request('tasks/cancel', params(version, { taskId: word }), taskBody),
  request('tasks/list', paged(version), result(version, { tasks: listOf(task) }, { nextCursor: text })),
  request(
    'tasks/result',
    params(version, { taskId: word }),
    result(version, {}, { content: fc.constant([{ type: 'text', text: 'done' }]) }),
  ),
  notification('notifications/tasks/status', taskBody),
  notification('notifications/elicitation/complete', open({ elicitationId: word })),
]

const filter = open(
  {},
  { toolsListChanged: flag, promptsListChanged: flag, resourcesListChanged: flag, resourceSubscriptions: strings },
)

const stateless = (version: ProtocolVersion): MethodArbitraries[] => [
  request(
    'server/discover',
    params(version, {}),
    cacheableResult(
      version,
      { supportedVersions: fc.subarray([V24, V11, V26]), capabilities: serverCapabilities(version) },
      { instructions: text },
    ),
  ),
  request(
    'subscriptions/listen',
    params(version, { notifications: filter }),
    open({ resultType: fc.constant('complete'), _meta: subscribedMeta }),
  ),
  notification('notifications/subscriptions/acknowledged', notificationParams(version, { notifications: filter })),
]

/** Everything the core of a version defines. */
export function methodArbitraries(version: ProtocolVersion): MethodArbitraries[] {
  const era = eraOf(version) === 'handshake' ? handshake(version) : stateless(version)
  return [...shared(version), ...era, ...(version === V11 ? tasks(version) : [])]
}
