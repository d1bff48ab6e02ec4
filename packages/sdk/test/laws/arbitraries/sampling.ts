/** Asking the client's language model. */
import fc from 'fast-check'
import { isAtLeast, type ProtocolVersion } from '../../../src/versions/index.ts'
import { samplingContent } from './content.ts'
import { params } from './envelope.ts'
import { type Fields, innerMeta, meta, type ObjectArb, only, open, V11, V26 } from './shape.ts'
import { taskMetadata } from './tasks.ts'
import { tool } from './tools.ts'
import { count, fraction, listOf, plainObject, role, strings, text, word } from './values.ts'

const message = (version: ProtocolVersion): ObjectArb =>
  open({ role, content: samplingContent(version) }, isAtLeast(version, V11) ? innerMeta(version) : {})

const preferences = open(
  {},
  {
    hints: listOf(open({}, { name: word }), 2),
    costPriority: fraction,
    speedPriority: fraction,
    intelligencePriority: fraction,
  },
)

const optional = (version: ProtocolVersion): Fields => ({
  modelPreferences: preferences,
  systemPrompt: text,
  includeContext: fc.constantFrom('none', 'thisServer', 'allServers'),
  temperature: fraction,
  stopSequences: strings,
  metadata: plainObject,
  ...only(version, V11, { task: taskMetadata }),
})

/** Tools in a question are rarer than questions without: versions before 2025-11-25 refuse them. */
export function samplingParams(version: ProtocolVersion): ObjectArb {
  const required = { messages: listOf(message(version)), maxTokens: count }
  const ask = (extra: Fields): ObjectArb =>
    isAtLeast(version, V26)
      ? open(required, { ...optional(version), ...extra })
      : params(version, required, { ...optional(version), ...extra })
  if (!isAtLeast(version, V11)) return ask({})
  const tools = {
    tools: listOf(tool(version), 2),
    toolChoice: open({}, { mode: fc.constantFrom('auto', 'required', 'none') }),
  }
  return fc.oneof({ weight: 3, arbitrary: ask({}) }, { weight: 1, arbitrary: ask(tools) })
}

export const samplingResult = (version: ProtocolVersion): ObjectArb =>
  open(
    { role, content: samplingContent(version), model: word },
    { stopReason: fc.constantFrom('endTurn', 'stopSequence', 'maxTokens', 'vendorReason'), _meta: meta },
  )
