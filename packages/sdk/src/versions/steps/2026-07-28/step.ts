/** From 2025-11-25 to 2026-07-28: sessions end, every request speaks for itself, and servers ask by answering. */
import type { Body } from '../../../jsonrpc/index.ts'
import { notification, request } from '../../../protocol/index.ts'
import { change, defineStep, type Rule, type Step } from '../../change.ts'
import { type Edit, edit, type Operation, omit, omitSilently } from '../../operation.ts'
import { drop, refuse } from '../../verdict.ts'
import { capabilitiesDown, extensionLosses, serverCapabilitiesUp } from './capabilities.ts'
import { limitCompletion } from './completion-limit.ts'
import { mintElicitationId, removeElicitationId } from './elicitation-id.ts'
import {
  addCacheHints,
  addRequestEnvelope,
  addResultType,
  addServerInfo,
  addSubscription,
  demandComplete,
  removeRequestEnvelope,
  removeServerInfo,
  removeSubscription,
} from './envelope.ts'
import { errorDown, errorUp } from './errors.ts'
import { removeInvalidHeaders } from './header-annotations.ts'
import { askingMethods, cacheableMethods, notificationMethods, requestMethods, STATELESS } from './methods.ts'
import { writeOutBooleans } from './property-schemas.ts'
import { rules } from './rules.ts'
import { wrapCallResult, wrapQuotedResults, wrapSampledResults, wrapToolOutput } from './structured-wrap.ts'
import { isCreateTaskResult } from './tasks-shape.ts'

type Methods = Rule['method']
type Apply = Rule['apply']

/** A conversion: made wherever the value goes from one vocabulary into the other. */
const params = (method: Methods, apply: Apply, at = ''): Rule => ({ method, part: 'params', at, apply })
const result = (method: Methods, apply: Apply, at = ''): Rule => ({ method, part: 'result', at, apply })

/**
 * Needed only when a peer of the target version reads the message: sessions frame their own, and keep what a handshake
 * peer said in its words.
 */
const onWire = (rule: Rule): Rule => ({ ...rule, envelope: true })

/** Where tools are described: to a client in the list, to a model in a sampling request. */
const eachTool = (apply: Apply): Rule[] => [
  result('tools/list', apply, 'tools[]'),
  params('sampling/createMessage', apply, 'tools[]'),
]

const reportingCapabilities = (narrow: (capabilities: Body) => Body, rule: string, detail: string): Operation =>
  edit((capabilities, context) => {
    const after = narrow(capabilities)
    if (after !== capabilities) context.lose(detail, { rule })
    return after
  })

const serverCapabilities: Edit = (capabilities, context) => {
  if (Object.hasOwn(capabilities, 'tasks')) context.lose('removed tasks', { rule: 'D-41' })
  for (const { path, severity, detail } of extensionLosses(capabilities, 'D-41', context.method)) {
    context.lose(detail, { rule: 'D-41', path: path.slice('capabilities.'.length), severity })
  }
  return serverCapabilitiesUp(capabilities)
}

const refuseTask: Edit = (body, context) =>
  isCreateTaskResult(body)
    ? refuse(
        'translation_failed',
        `${context.method} was answered with a task, which protocol version ${STATELESS} only has as an extension`,
      )
    : body

const removeExecution: Edit = (tool, context) => {
  if (!Object.hasOwn(tool, 'execution')) return tool
  const { execution, ...rest } = tool
  const support = (execution as { taskSupport?: unknown } | null | undefined)?.taskSupport
  if (support === 'required')
    context.lose('the tool only runs as a task', { rule: 'D-47', path: 'execution', severity: 'w' })
  else if (support === 'optional')
    context.lose('the tool can run as a task', { rule: 'D-47', path: 'execution', severity: 'i' })
  return rest
}

const demandRequestId: Edit = (body) =>
  body['requestId'] === undefined ? drop('a cancellation without a request id cancels nothing') : body

export const step: Step<'2026-07-28', 'stateless'> = defineStep(
  { from: '2025-11-25', to: '2026-07-28', era: 'stateless' },
  rules,
  [
    change('request envelope', {
      rules: ['D-01', 'D-05', 'D-09', 'D-11'],
      why: 'There is no session to remember version, client, capabilities and log level, so each request carries them; trace context and other names pass.',
      severity: 'i',
      features: { added: ['stateless', 'request-log-level'] },
      up: [onWire(params(requestMethods, edit(addRequestEnvelope)))],
      down: [onWire(params(requestMethods, edit(removeRequestEnvelope)))],
    }),
    change('result envelope', {
      rules: ['D-02', 'D-03', 'D-22'],
      why: 'A result says whether it is final or a question, and who made it. What is not final cannot be shown to a client that reads every result as final.',
      loses: 'Results that are questions or tasks.',
      severity: 'i',
      up: [onWire(result(requestMethods, [edit(addResultType), edit(addServerInfo)]))],
      down: [
        onWire(result(requestMethods, [edit(demandComplete), edit(removeServerInfo), omitSilently('resultType')])),
      ],
    }),
    change('cache hints', {
      rules: ['D-42'],
      why: 'Lists and readings say how long and for which clients they stay fresh; results of an older server must not be cached.',
      features: { added: ['cache-hints'] },
      up: [onWire(result(cacheableMethods, edit(addCacheHints)))],
      // Not only on the wire: an endpoint may set it in any version.
      down: [result(cacheableMethods, omitSilently('ttlMs', 'cacheScope'))],
    }),
    change('questions travel inside results', {
      rules: ['D-06', 'D-08', 'D-20'],
      why: 'Servers no longer send requests: they answer with questions, and the client repeats its request with the answers.',
      loses: 'Answers and state of a repeated request that no flow has consumed.',
      severity: 'w',
      methods: {
        changed: [
          request('sampling/createMessage', 'embedded', { server: 'client.sampling' }),
          request('roots/list', 'embedded', { server: 'client.roots' }),
          request('elicitation/create', 'embedded', { server: 'client.elicitation' }),
        ],
      },
      features: { added: ['mrtr'] },
      // The older version does not reserve these names; the newer one would take them for answers it never asked for.
      up: [onWire(params(askingMethods, omit('inputResponses', 'requestState')))],
      down: [onWire(params(askingMethods, omit('inputResponses', 'requestState')))],
    }),
    change('discovery instead of a handshake', {
      rules: ['D-15', 'D-16'],
      why: 'What initialize negotiated once, server/discover tells whenever asked.',
      methods: { added: [request('server/discover', 'client')], removed: ['initialize', 'notifications/initialized'] },
      features: { added: ['discover'], removed: ['handshake'] },
    }),
    change('no ping', {
      rules: ['D-17'],
      why: 'Without a session there is nothing to keep alive.',
      methods: { removed: ['ping'] },
      features: { removed: ['ping'] },
    }),
    change('log level per request', {
      rules: ['D-18', 'D-28'],
      why: 'The level travels in the request envelope, and messages belong to the request that asked for them.',
      methods: { removed: ['logging/setLevel'] },
    }),
    change('listening instead of subscribing', {
      rules: ['D-04', 'D-19', 'D-29', 'D-30'],
      why: 'One long request asks for all notices a client wants; each notice names that request.',
      methods: {
        added: [
          request('subscriptions/listen', 'client'),
          notification('notifications/subscriptions/acknowledged', 'server'),
        ],
        removed: ['resources/subscribe', 'resources/unsubscribe'],
      },
      features: { added: ['listen'], removed: ['subscriptions'] },
      severity: 'i',
      up: [
        onWire(params(notificationMethods, edit(addSubscription))),
        onWire(result('subscriptions/listen', edit(addSubscription))),
      ],
      down: [
        onWire(params(notificationMethods, edit(removeSubscription))),
        onWire(result('subscriptions/listen', edit(removeSubscription))),
      ],
    }),
    change('fewer notices from clients', {
      rules: ['D-10', 'D-25', 'D-26', 'D-27', 'D-31'],
      why: 'A client that keeps no session has little to announce: only the cancellation of a request it names.',
      methods: {
        changed: [notification('notifications/progress', 'server')],
        removed: ['notifications/roots/list_changed', 'notifications/elicitation/complete'],
      },
      up: [onWire(params('notifications/cancelled', edit(demandRequestId)))],
    }),
    change('tasks leave the core', {
      rules: ['D-07', 'D-21', 'D-32', 'D-47'],
      why: 'Tasks became an extension in which the server decides; the wish of the caller and the hint of the tool have no place any more.',
      loses: 'The wish to run as a task, and whether a tool can.',
      severity: 'i',
      methods: { removed: ['tasks/get', 'tasks/result', 'tasks/list', 'tasks/cancel', 'notifications/tasks/status'] },
      capabilities: { removed: ['server.tasks', 'client.tasks'] },
      features: { removed: ['tasks'] },
      up: [
        onWire(params('tools/call', omit('task'))),
        onWire(result(['tools/call', 'sampling/createMessage', 'elicitation/create'], edit(refuseTask))),
        ...eachTool(edit(removeExecution)).map(onWire),
      ],
    }),
    change('capabilities', {
      rules: ['D-40', 'D-41'],
      why: 'Extensions are declared by name. Tasks moved there, and roots are asked for, not watched.',
      loses:
        'The tasks extension: it must not be taken for the tasks of the older version. Other extensions pass; toward 2026-07-28 their settings must be objects.',
      severity: 'i',
      capabilities: {
        added: [
          { path: 'server.extensions', description: 'Extensions of the protocol, by name.' },
          { path: 'client.extensions', description: 'Extensions of the protocol, by name.' },
          { path: 'client.roots', description: 'Tells which directories or URIs matter.' },
        ],
      },
      features: { added: ['extensions'] },
      up: [onWire(result('initialize', edit(serverCapabilities), 'capabilities'))],
      down: [
        params(
          'initialize',
          reportingCapabilities(capabilitiesDown, 'D-40', 'removed the tasks extension'),
          'capabilities',
        ),
        result(
          ['initialize', 'server/discover'],
          reportingCapabilities(capabilitiesDown, 'D-41', 'removed the tasks extension'),
          'capabilities',
        ),
      ],
    }),
    change('elicitation by link has no id', {
      rules: ['D-48'],
      why: 'The end of a visit is no longer announced; toward an older client an id is made up.',
      up: [onWire(params('elicitation/create', edit(removeElicitationId)))],
      down: [params('elicitation/create', edit(mintElicitationId))],
    }),
    change('questions are no messages', {
      rules: ['D-49'],
      why: 'A question inside a result has no metadata and no tasks of its own.',
      loses: 'Metadata and task wishes of sampling and elicitation requests.',
      severity: 'i',
      up: [onWire(params(['sampling/createMessage', 'elicitation/create'], omit('_meta', 'task')))],
    }),
    change('answers are no results', {
      rules: ['D-50'],
      why: 'The answer to a question travels in the parameters of a request; only sampled messages kept metadata.',
      loses: 'Metadata of elicitation and roots answers.',
      severity: 'i',
      up: [onWire(result(['elicitation/create', 'roots/list'], omit('_meta')))],
    }),
    change('a hundred completions', {
      rules: ['D-51'],
      why: 'The limit that was a recommendation is enforced.',
      loses: 'Suggestions after the hundredth.',
      severity: 'i',
      up: [result('completion/complete', edit(limitCompletion), 'completion')],
    }),
    change('errors', {
      rules: ['D-54', 'D-57', 'D-58', 'D-59', 'D-5A'],
      why: 'A range of codes was reserved and partly given a meaning; a missing resource became a matter of wrong parameters.',
      loses: 'Codes the other side would misunderstand; they are kept as data.',
      severity: 'i',
      up: [onWire({ method: requestMethods, part: 'error', apply: edit(errorUp) })],
      down: [onWire({ method: requestMethods, part: 'error', apply: edit(errorDown) })],
    }),
    change('structured output of any kind', {
      rules: ['D-43', 'D-44'],
      why: 'Tools may answer with any JSON value; a reader that only knows objects gets { result: value } and a schema that says so.',
      loses: 'Nothing but the form: the value is one level deeper.',
      severity: 'i',
      features: { added: ['structured-values'] },
      down: [
        result('tools/call', edit(wrapCallResult)),
        params('sampling/createMessage', edit(wrapQuotedResults)),
        result('sampling/createMessage', edit(wrapSampledResults)),
        ...eachTool(edit(wrapToolOutput)),
      ],
    }),
    change('schemas with every keyword', {
      rules: ['D-45'],
      why: 'Property schemas may be true or false; older readers demand objects, which can say the same.',
      severity: 'w',
      down: eachTool(edit(writeOutBooleans)),
    }),
    change('headers from arguments', {
      rules: ['D-46'],
      why: 'Schemas may name a header for an argument. A client must hide a tool with an invalid name, which an older server could not know.',
      loses: 'Header names an older server got wrong.',
      severity: 'w',
      features: { added: ['header-annotations'] },
      up: [onWire(result('tools/list', edit(removeInvalidHeaders), 'tools[]'))],
    }),
    change('streams without event ids', {
      rules: ['D-62'],
      why: 'A broken stream loses its request, so there is nothing to come back to; transports ask for the feature.',
      features: { removed: ['sse-polling'] },
    }),
  ],
)
