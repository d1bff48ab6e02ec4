/** Which calls a server is tried with: harmless ones, chosen from its definitions, so that every run makes the same. */

/** Names that promise more than a look; a server that calls such a tool read-only is believed all the same. */
const VERBS = [
  'add|apply|call|clear|click|clos|commit|connect|creat|delet|deploy|disconnect|download|drag|edit|end|exec|fill',
  'forget|generat|init|install|invok|kill|launch|login|log_?out|mov|navigat|open|press|push|record|remov|renam|reset',
  'run|save|send|set|start|stop|switch|task|toggle|trigger|type|updat|upload|write',
]
const ACTS = new RegExp(VERBS.join('|'), 'i')
const MOST_CALLS = 3
const MOST_READS = 2

const requiredOf = ({ inputSchema }) => (Array.isArray(inputSchema?.required) ? inputSchema.required : [])
const readsOnly = ({ annotations }) => annotations?.readOnlyHint === true
const isHarmless = (tool) => readsOnly(tool) || (requiredOf(tool).length === 0 && !ACTS.test(tool.name))

const SAMPLES = { string: 'a', number: 1, integer: 1, boolean: false, array: [], object: {}, null: null }

/** Some value that a schema of a property may allow; whether it does, the server says. */
function sampleOf(schema) {
  if (schema === null || typeof schema !== 'object') return 'a'
  if (schema.default !== undefined) return schema.default
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0]
  const [either] = schema.anyOf ?? schema.oneOf ?? []
  if (either !== undefined) return sampleOf(either)
  return SAMPLES[[schema.type].flat()[0]] ?? 'a'
}

const argumentsFor = (tool) =>
  Object.fromEntries(requiredOf(tool).map((name) => [name, sampleOf(tool.inputSchema.properties?.[name])]))

/** `lists`: definitions as a client sees them. A server may be one that nothing is called of. */
export function planFor({ tools, resources, prompts }, { calls: mayCall = true }) {
  const harmless = mayCall ? tools.filter(isHarmless) : []
  // Without the arguments that it requires a tool does nothing, or the server does not look at them.
  const invalid =
    harmless.find((tool) => requiredOf(tool).length > 0) ??
    (mayCall ? tools.find((tool) => requiredOf(tool).length > 0 && !ACTS.test(tool.name)) : undefined)
  const [prompt] = prompts
  return {
    calls: harmless.slice(0, MOST_CALLS).map((tool) => ({ name: tool.name, arguments: argumentsFor(tool) })),
    invalid: invalid && { name: invalid.name, arguments: {} },
    reads: resources.slice(0, MOST_READS).map(({ uri }) => uri),
    prompts:
      prompt === undefined
        ? []
        : [
            {
              name: prompt.name,
              arguments: Object.fromEntries((prompt.arguments ?? []).map(({ name }) => [name, 'a'])),
            },
          ],
  }
}
