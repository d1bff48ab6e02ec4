/** From 2025-06-18 to 2025-11-25. */
import { isObject } from '../../../jsonrpc/index.ts'
import { notification } from '../../../protocol/index.ts'
import { type Change, change, defineStep, type Rule, type Step } from '../../change.ts'
import { type Edit, edit, omit, omitSilently } from '../../operation.ts'
import { drop } from '../../verdict.ts'
import { without } from '../without.ts'
import { defaultsAsText, rebuildChoices, refuseLists, simplerChoices } from './elicitation-enums.ts'
import { formsOnly, refuseLinks, showLinks } from './elicitation-modes.ts'
import { rules } from './rules.ts'
import { contextWhereDeclared, oneBlockPerAnswer, oneBlockPerMessage, refuseTools } from './sampling-content.ts'
import { nameDialect } from './schema-dialect.ts'
import { refuseTaskInsteadOf, taskMethods } from './tasks.ts'

const strictly = (method: string, part: Rule['part'], at: string, apply: Rule['apply']): Rule => ({
  method,
  part,
  at,
  apply,
  profile: 'strict',
})

const samplingTools: Change = change('tools in sampling', {
  rules: ['C-03', 'C-06'],
  why: 'A model without its tools would give another answer, so the request is refused rather than cut.',
  loses: 'sampling with tools, which fails',
  severity: 'E',
  features: { added: ['sampling-tools'] },
  down: [
    {
      method: 'sampling/createMessage',
      part: 'params',
      apply: edit(refuseTools, 'refuses tools the client did not declare'),
    },
  ],
})

const samplingBlocks: Change = change('several blocks per sampling message', {
  rules: ['C-01'],
  why: 'One block per message is all an older client reads: several become messages of the same role, in order.',
  loses: 'which blocks formed one message',
  severity: 'i',
  features: { added: ['sampling-blocks'] },
  down: [
    {
      method: 'sampling/createMessage',
      part: 'params',
      apply: edit(oneBlockPerMessage, 'makes one message per block, refuses blocks of tools'),
    },
  ],
})

const samplingAnswer: Change = change('several blocks per sampled answer', {
  rules: ['C-02'],
  why: 'One block per answer is all an older server reads: texts are joined, and blocks of tools are an error, since it sent no tools.',
  loses: 'images and audio beside text',
  severity: 'w',
  down: [
    {
      method: 'sampling/createMessage',
      part: 'result',
      apply: edit(oneBlockPerAnswer, 'joins texts, refuses blocks of tools'),
    },
  ],
})

/** Plain sampling of an older client took the wish for context. */
const declareContext: Edit = (sampling) =>
  sampling['context'] === undefined && sampling['tools'] === undefined ? { ...sampling, context: {} } : sampling

const samplingCapabilities: Change = change('sub-capabilities of sampling', {
  rules: ['C-04'],
  why: 'Asking for context was part of plain sampling and became a capability; tools are never made up.',
  capabilities: {
    added: [
      {
        path: 'client.sampling',
        description: 'Asks a language model on behalf of the server.',
        flags: ['context', 'tools'],
      },
    ],
  },
  up: [
    {
      method: 'initialize',
      part: 'params',
      at: 'capabilities.sampling',
      apply: edit(declareContext, 'declares context'),
    },
  ],
  down: [
    { method: 'initialize', part: 'params', at: 'capabilities.sampling', apply: omitSilently('context', 'tools') },
  ],
})

const samplingContext: Change = change('context only where declared', {
  rules: ['C-05'],
  why: 'A newer client is asked for the context of servers only if it declared that.',
  loses: 'the context of servers, for clients that do not give it',
  severity: 'w',
  up: [
    {
      method: 'sampling/createMessage',
      part: 'params',
      apply: edit(contextWhereDeclared, 'removes includeContext the client did not declare'),
    },
  ],
})

const elicitationModes: Change = change('elicitation by link', {
  rules: ['C-11', 'C-10', 'C-12', 'C-13', 'C-14'],
  why: 'Older peers know forms only. Links are refused, the capability shrinks to forms, and an error that demands a visit is shown to the model as text.',
  loses: 'links for the user to visit',
  severity: 'w',
  capabilities: {
    added: [
      { path: 'client.elicitation', description: 'Asks the user on behalf of the server.', flags: ['form', 'url'] },
    ],
  },
  methods: {
    added: [notification('notifications/elicitation/complete', 'server', { server: 'client.elicitation.url' })],
  },
  features: { added: ['elicitation-url'] },
  down: [
    {
      method: 'initialize',
      part: 'params',
      at: 'capabilities',
      apply: edit(formsOnly, 'shrinks elicitation to forms, or removes it where there are none'),
      cites: 'C-10',
    },
    { method: 'elicitation/create', part: 'params', apply: edit(refuseLinks, 'removes mode form, refuses others') },
    {
      method: 'tools/call',
      part: 'error',
      apply: edit(showLinks, 'makes the demand to visit a link a result that shows it'),
      cites: 'C-14',
    },
  ],
})

const formSchema = (apply: Rule['apply']): Rule => ({
  method: 'elicitation/create',
  part: 'params',
  at: 'requestedSchema',
  apply,
})

const choices: Change = change('choices in forms', {
  rules: ['C-15', 'C-17', 'C-18'],
  why: 'Older forms have one list of values with names; a multiple choice is asked as one boolean per option and read back from them.',
  loses: 'multiple choices as one field',
  severity: 'i',
  features: { added: ['elicitation-choices'] },
  up: [
    {
      method: 'elicitation/create',
      part: 'result',
      apply: edit(rebuildChoices, 'puts booleans together to the lists that were asked for'),
    },
  ],
  down: [
    formSchema([
      omitSilently('$schema'),
      edit(simplerChoices, 'gives choices values and names, makes multiple choices booleans'),
    ]),
    { method: 'elicitation/create', part: 'result', apply: edit(refuseLists, 'refuses lists'), cites: 'C-18' },
  ],
})

const formDefaults: Change = change('defaults in forms', {
  rules: ['C-16'],
  why: 'An older reader ignores defaults other than of booleans; strictly, they are told in the description.',
  loses: 'values filled in beforehand',
  severity: 'i',
  features: { added: ['elicitation-defaults'] },
  down: [{ ...formSchema(edit(defaultsAsText, 'moves defaults into descriptions')), profile: 'strict' }],
})

const toolExecution: Change = change('tools that run as tasks', {
  rules: ['C-23'],
  why: 'An older client has no tasks and calls every tool the same way. The server or the gateway runs the task and answers with its result.',
  loses: 'whether a tool runs as a task',
  severity: 'i',
  down: [{ method: 'tools/list', part: 'result', at: 'tools[]', apply: omit('execution') }],
})

const anyFurther: Edit = (schema, context) => {
  if (!isObject(schema['additionalProperties'])) return schema
  context.lose('removed the schema of further properties', { path: 'additionalProperties' })
  return without(schema, 'additionalProperties')
}

/** Other blocks with a field of that name are none of this rule's business. */
const iconsOfLink: Edit = (block, context) => {
  if (block['type'] !== 'resource_link' || block['icons'] === undefined) return block
  const { icons: _, ...rest } = block
  context.lose('removed icons', { path: 'icons' })
  return rest
}

const icons: Change = change('icons', {
  rules: ['C-20'],
  why: 'An older reader ignores icons; strictly, they are removed.',
  loses: 'icons',
  severity: 'i',
  features: { added: ['icons'] },
  down: [
    strictly('tools/list', 'result', 'tools[]', omit('icons')),
    strictly('prompts/list', 'result', 'prompts[]', omit('icons')),
    strictly('resources/list', 'result', 'resources[]', omit('icons')),
    strictly('resources/templates/list', 'result', 'resourceTemplates[]', omit('icons')),
    strictly('tools/call', 'result', 'content[]', edit(iconsOfLink, 'removes icons of links')),
    strictly('prompts/get', 'result', 'messages[].content', edit(iconsOfLink, 'removes icons of links')),
    strictly('initialize', 'params', 'clientInfo', omit('icons')),
    strictly('initialize', 'result', 'serverInfo', omit('icons')),
  ],
})

const implementation: Change = change('implementations describe themselves', {
  rules: ['C-21'],
  why: 'An older reader ignores description and web site; strictly, they are removed.',
  loses: 'description and web site of the peer',
  down: [
    strictly('initialize', 'params', 'clientInfo', omit('description', 'websiteUrl')),
    strictly('initialize', 'result', 'serverInfo', omit('description', 'websiteUrl')),
  ],
})

const dialects: Change = change('dialect of schemas', {
  rules: ['C-22'],
  why: 'The default dialect changed, so older schemas that would be misread name theirs. A dialect that is named passes both ways.',
  up: [
    {
      method: 'tools/list',
      part: 'result',
      at: 'tools[].inputSchema',
      apply: edit(nameDialect, 'names draft-07 where only it fits'),
    },
    {
      method: 'tools/list',
      part: 'result',
      at: 'tools[].outputSchema',
      apply: edit(nameDialect, 'names draft-07 where only it fits'),
    },
  ],
})

const furtherOutput: Change = change('further properties of output', {
  rules: ['C-34'],
  why: 'Published clients of 2025-06-18 refuse a whole list for an output schema that describes further properties: any are allowed there.',
  loses: 'what further properties of structured output look like',
  severity: 'i',
  features: { added: ['further-output-schemas'] },
  down: [
    {
      method: 'tools/list',
      part: 'result',
      at: 'tools[].outputSchema',
      apply: edit(anyFurther, 'allows any further properties'),
    },
  ],
})

const AUGMENTED = ['tools/call', 'sampling/createMessage', 'elicitation/create']
const RELATED = [
  ...AUGMENTED,
  'roots/list',
  'ping',
  'notifications/progress',
  'notifications/message',
  'notifications/cancelled',
]
const aboutTasks = omitSilently(
  'io.modelcontextprotocol/related-task',
  'io.modelcontextprotocol/model-immediate-response',
)

const TASK_FLAGS = ['list', 'cancel', 'requests']

const tasks: Change = change('tasks', {
  rules: ['C-24', 'C-25', 'C-32'],
  why: 'Without tasks at the receiver a request simply runs: the wish, the capability and the metadata about tasks are removed.',
  loses: 'tasks',
  capabilities: {
    added: [
      { path: 'server.tasks', description: 'Runs requests of the client as tasks.', flags: TASK_FLAGS },
      { path: 'client.tasks', description: 'Runs requests of the server as tasks.', flags: TASK_FLAGS },
    ],
  },
  methods: { added: taskMethods },
  features: { added: ['tasks'] },
  down: [
    { method: 'initialize', part: 'params', at: 'capabilities', apply: omitSilently('tasks') },
    { method: 'initialize', part: 'result', at: 'capabilities', apply: omitSilently('tasks') },
    { method: AUGMENTED, part: 'params', apply: omitSilently('task') },
    { method: RELATED, part: 'params', at: '_meta', apply: aboutTasks, cites: 'C-25' },
    { method: RELATED, part: 'result', at: '_meta', apply: aboutTasks, cites: 'C-25' },
    {
      method: ['tools/call', 'sampling/createMessage'],
      part: 'result',
      apply: edit(refuseTaskInsteadOf('content'), 'refuses a task in place of the result'),
    },
    {
      method: 'elicitation/create',
      part: 'result',
      apply: edit(refuseTaskInsteadOf('action'), 'refuses a task in place of the result'),
    },
  ],
})

/** Older peers demand to know what is cancelled. */
const needsRequestId: Edit = (params) =>
  params['requestId'] === undefined ? drop('a cancellation without requestId does not exist in 2025-06-18') : params

const cancellation: Change = change('cancellation without request', {
  rules: ['C-28'],
  why: 'A cancellation that names no request cannot be read by older peers and would do nothing there.',
  down: [
    { method: 'notifications/cancelled', part: 'params', apply: edit(needsRequestId, 'drops one without requestId') },
  ],
})

const errorsWithoutId: Change = change('errors without id', {
  rules: ['C-27'],
  why: 'The schemas of older versions have no error that answers no request. JSON-RPC has one, with a null id, and older peers get that: their authors learn that a line was unreadable.',
  features: { added: ['error-without-id'] },
})

const inputErrors: Change = change('bad tool arguments are results', {
  rules: ['C-29'],
  why: 'A model can mend its arguments only if it reads what was wrong; servers ask for the feature and answer older clients with an error. Messages pass as they are.',
  features: { added: ['input-errors-as-results'] },
})

const polling: Change = change('streams that are polled', {
  rules: ['C-40'],
  why: 'An older client would try to read the empty event a stream begins with, and take an early end for a failure; transports ask for the feature.',
  features: { added: ['sse-polling'] },
})

const wording: Change = change('wording', {
  rules: ['C-26', 'C-30', 'C-31', 'C-33'],
  why: 'Reserved metadata prefixes, tool names and parameter types are described differently; messages pass as they are.',
})

export const step: Step<'2025-11-25', 'handshake'> = defineStep(
  { from: '2025-06-18', to: '2025-11-25', era: 'handshake' },
  rules,
  [
    samplingTools,
    samplingBlocks,
    samplingAnswer,
    samplingCapabilities,
    samplingContext,
    elicitationModes,
    choices,
    formDefaults,
    toolExecution,
    icons,
    implementation,
    dialects,
    furtherOutput,
    tasks,
    cancellation,
    errorsWithoutId,
    inputErrors,
    polling,
    wording,
  ],
)
