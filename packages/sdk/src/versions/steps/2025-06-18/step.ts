/** From 2025-03-26 to 2025-06-18. */
import { request } from '../../../protocol/index.ts'
import { type Change, change, defineStep, type Rule, type Step } from '../../change.ts'
import { edit, omit } from '../../operation.ts'
import { linkAsText } from './resource-links.ts'
import { rules } from './rules.ts'
import { structuredAsText } from './structured-output.ts'
import { titleAsName, titleBeforeDescription, titleIntoAnnotations } from './titles.ts'

const batches: Change = change('no more batches', {
  rules: ['B-01'],
  why: 'Arrays of messages were abolished: those of an older peer are taken apart, and none is produced.',
  features: { removed: ['batch'] },
})

const elicitation: Change = change('elicitation', {
  rules: ['B-02', 'B-03'],
  why: 'An older server cannot ask the user, so it is not told that the client could; asking an older client is refused as an unknown method.',
  loses: 'questions to the user',
  severity: 'i',
  capabilities: { added: [{ path: 'client.elicitation', description: 'Asks the user on behalf of the server.' }] },
  methods: { added: [request('elicitation/create', 'server', { server: 'client.elicitation' })] },
  features: { added: ['elicitation'] },
  down: [{ method: 'initialize', part: 'params', at: 'capabilities', apply: omit('elicitation') }],
})

const structuredOutput: Change = change('structured tool output', {
  rules: ['B-04', 'B-05'],
  why: 'Schema and value go together: a reader that validates must not see one without the other. The data stays readable as text.',
  loses: 'structured values and their schemas; the text remains',
  severity: 'i',
  features: { added: ['structured-output'] },
  down: [
    {
      method: 'tools/call',
      part: 'result',
      apply: edit(structuredAsText, 'removes structuredContent, writing it as text unless a text says the same'),
    },
    { method: 'tools/list', part: 'result', at: 'tools[]', apply: omit('outputSchema'), cites: 'B-05' },
  ],
})

const resourceLinks: Change = change('resource links', {
  rules: ['B-06', 'B-15'],
  why: 'The older content union has no links; a line of text names the resource instead.',
  loses: 'links a client could follow; name, address, type and description remain as text',
  severity: 'w',
  features: { added: ['resource-links'] },
  down: [
    { method: 'tools/call', part: 'result', at: 'content[]', apply: edit(linkAsText, 'makes links text') },
    {
      method: 'prompts/get',
      part: 'result',
      at: 'messages[].content',
      apply: edit(linkAsText, 'makes links text'),
      cites: 'B-15',
    },
  ],
})

const strictly = (method: string, part: Rule['part'], at: string, apply: Rule['apply']): Rule => ({
  method,
  part,
  at,
  apply,
  profile: 'strict',
})

const titles: Change = change('display titles', {
  rules: ['B-07'],
  why: 'An older reader ignores titles; strictly, each moves to the field that reader shows.',
  loses: 'titles apart from names and descriptions',
  severity: 'i',
  features: { added: ['titles'] },
  down: [
    strictly('tools/list', 'result', 'tools[]', edit(titleIntoAnnotations, 'moves title into annotations')),
    strictly('resources/list', 'result', 'resources[]', edit(titleAsName, 'makes title the name')),
    strictly('resources/templates/list', 'result', 'resourceTemplates[]', edit(titleAsName, 'makes title the name')),
    strictly(
      'prompts/list',
      'result',
      'prompts[]',
      edit(titleBeforeDescription, 'moves title to the start of the description'),
    ),
    strictly(
      'prompts/list',
      'result',
      'prompts[].arguments[]',
      edit(titleBeforeDescription, 'moves title to the start of the description'),
    ),
    strictly('initialize', 'params', 'clientInfo', omit('title')),
    strictly('initialize', 'result', 'serverInfo', omit('title')),
    strictly('completion/complete', 'params', 'ref', omit('title')),
  ],
})

const metadata: Change = change('metadata on more objects', {
  rules: ['B-08'],
  why: 'Older schemas are open: metadata passes both ways.',
})

const completionContext: Change = change('context of completion', {
  rules: ['B-09', 'B-10'],
  why: 'An older server would not use the arguments chosen so far. The reference to a template only changed its type name.',
  loses: 'the arguments chosen so far: suggestions are less precise',
  severity: 'i',
  features: { added: ['completion-context'] },
  down: [{ method: 'completion/complete', part: 'params', apply: omit('context') }],
})

const lastModified: Change = change('time of last modification', {
  rules: ['B-11'],
  why: 'An older reader ignores the date; strictly, it is removed.',
  loses: 'when something was last modified',
  down: [
    strictly('tools/call', 'result', 'content[].annotations', omit('lastModified')),
    strictly('prompts/get', 'result', 'messages[].content.annotations', omit('lastModified')),
    strictly('resources/list', 'result', 'resources[].annotations', omit('lastModified')),
    strictly('resources/templates/list', 'result', 'resourceTemplates[].annotations', omit('lastModified')),
    strictly('sampling/createMessage', 'params', 'messages[].content.annotations', omit('lastModified')),
    strictly('sampling/createMessage', 'result', 'content.annotations', omit('lastModified')),
  ],
})

const obligations: Change = change('negotiated means binding', {
  rules: ['B-13'],
  why: 'What was not negotiated may not be used: sessions refuse it in every version.',
})

const versionHeader: Change = change('version header', {
  rules: ['B-12'],
  why: 'HTTP clients name the version on every request after the handshake; transports ask for the feature.',
  features: { added: ['protocol-version-header'] },
})

export const step: Step<'2025-06-18', 'handshake'> = defineStep(
  { from: '2025-03-26', to: '2025-06-18', era: 'handshake' },
  rules,
  [
    batches,
    elicitation,
    structuredOutput,
    resourceLinks,
    titles,
    metadata,
    completionContext,
    lastModified,
    obligations,
    versionHeader,
  ],
)
