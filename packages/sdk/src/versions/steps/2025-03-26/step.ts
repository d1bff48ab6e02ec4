/** From 2024-11-05 to 2025-03-26. */
import { type Body, isObject } from '../../../jsonrpc/index.ts'
import { request } from '../../../protocol/index.ts'
import { type Change, change, defineStep, type Step } from '../../change.ts'
import { type Edit, edit, omit, omitSilently, split } from '../../operation.ts'
import { audioAlone, audioInList, refuseAudioInAnswer, refuseAudioInRequest } from './audio.ts'
import { rules } from './rules.ts'

const batches: Change = change('batches', {
  rules: ['A-01'],
  why: 'Only this version sends arrays of messages. They are taken apart before anything is translated, and the answers joined afterwards.',
  features: { added: ['batch'] },
})

/** Servers of 2024-11-05 complete arguments of prompts and resources without saying so. */
const declareCompletions: Edit = (capabilities) =>
  capabilities['completions'] === undefined &&
  (capabilities['prompts'] !== undefined || capabilities['resources'] !== undefined)
    ? { ...capabilities, completions: {} }
    : capabilities

const completions: Change = change('completions are declared', {
  rules: ['A-02'],
  why: 'The older version has completion/complete without a capability for it; the newer one asks only a server that declares it.',
  capabilities: { added: [{ path: 'server.completions', description: 'Suggests values for arguments.' }] },
  methods: { changed: [request('completion/complete', 'client', { client: 'server.completions' })] },
  features: { added: ['completions'] },
  up: [
    {
      method: 'initialize',
      part: 'result',
      at: 'capabilities',
      apply: edit(declareCompletions, 'declares completions beside prompts or resources'),
    },
  ],
  down: [{ method: 'initialize', part: 'result', at: 'capabilities', apply: omitSilently('completions') }],
})

const progressMessages: Change = change('text of progress', {
  rules: ['A-03'],
  why: 'An older reader ignores the line of text; strictly, it is removed.',
  loses: 'the line of text beside a progress bar',
  severity: 'i',
  features: { added: ['progress-messages'] },
  down: [{ method: 'notifications/progress', part: 'params', apply: omit('message'), profile: 'strict' }],
})

const audio: Change = change('audio', {
  rules: ['A-04', 'A-05', 'A-06'],
  why: 'The older content union has no audio. Results keep the bytes as an embedded resource; sampling is refused, because a model would answer something else.',
  loses: 'that the bytes are audio; sampling with audio fails',
  severity: 'w',
  features: { added: ['audio'] },
  down: [
    {
      method: 'tools/call',
      part: 'result',
      at: 'content[]',
      apply: split(audioInList, 'makes audio a line of text and an embedded resource'),
    },
    {
      method: 'prompts/get',
      part: 'result',
      at: 'messages[].content',
      apply: edit(audioAlone, 'makes audio an embedded resource'),
    },
    {
      method: 'sampling/createMessage',
      part: 'params',
      apply: edit(refuseAudioInRequest, 'refuses audio'),
      cites: 'A-05',
    },
    {
      method: 'sampling/createMessage',
      part: 'result',
      apply: edit(refuseAudioInAnswer, 'refuses audio'),
      cites: 'A-06',
    },
  ],
})

const titleAsDescription: Edit = (tool, context) => {
  if (tool['annotations'] === undefined) return tool
  const { annotations, ...rest } = tool
  context.lose('removed annotations', { path: 'annotations' })
  const title = isObject(annotations) ? annotations['title'] : undefined
  return rest['description'] === undefined && typeof title === 'string'
    ? ({ ...rest, description: title } satisfies Body)
    : rest
}

const toolAnnotations: Change = change('tool annotations', {
  rules: ['A-07'],
  why: 'An older reader ignores the hints; strictly, they are removed and the title is kept as description where there is none.',
  loses: 'hints on what a tool does to its surroundings',
  severity: 'i',
  features: { added: ['tool-annotations'] },
  down: [
    {
      method: 'tools/list',
      part: 'result',
      at: 'tools[]',
      apply: edit(titleAsDescription, 'removes annotations, keeping their title as description where there is none'),
      profile: 'strict',
    },
  ],
})

export const step: Step<'2025-03-26', 'handshake'> = defineStep(
  { from: '2024-11-05', to: '2025-03-26', era: 'handshake' },
  rules,
  [batches, completions, progressMessages, audio, toolAnnotations],
)
