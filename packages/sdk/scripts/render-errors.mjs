/** `docs/errors.md` from the catalogue. */
import { code, table } from './markdown.mjs'

const INTRODUCTION = `# Errors

Every error Parley raises has a stable name, \`error.kind\`, and one entry in the catalogue. Toward a peer it becomes a JSON-RPC error with the
code of the negotiated version; where that code is shared by several kinds, the name travels beside it in \`error.data["parley/kind"]\`, and an
error received from another Parley has its name again. Stacks, causes and whatever else a handler threw stay on this side.

A tool that ran and failed is no error: whatever its handler throws becomes a result with \`isError\`, in every version. Hosts take a JSON-RPC error
for a broken server, and the model learns nothing from it.

| a tool handler throws | its caller reads | the server's log (\`onError\`) |
| --- | --- | --- |
| \`ToolError\` | the message, and \`structured\` | nothing |
| \`Error\`, or a class of your own | the message, without any stack | the error |
| \`TypeError\`, \`ReferenceError\`, \`RangeError\`, \`SyntaxError\`, \`AggregateError\`, \`DOMException\`; a system error (\`syscall\`), a failed command, an error of Node (\`ERR_…\`), an error of another connection; what is no error | \`Tool "NAME" failed because of an error in the server. Its log has the cause under the reference 1a2b3c4d.\` | the error, with the same \`reference\` |
| \`ParleyError\` of this server | a JSON-RPC error of that kind | only its cause |

\`createServer(info, { showErrors: 'all' })\` shows every message (for development), \`'none'\` only those of \`ToolError\`. A client in the same process, as in
tests, has the thrown error as \`error.cause\`. Handlers of resources, prompts and completions have no such result: a \`ParleyError\` and the message of a \`ToolError\` reach
the peer, anything else is \`internal_error\` and nothing more.

- **code**: the wire code of each version; a single number holds for all of them.
- **advice**: \`retry\` the request, \`reconnect\` and then retry, \`abort\` because the same request will fail again, or \`ignore\`. What can be retried or reconnected is *recoverable*.
- **erlmcp**: the number in the \`erlmcp\` dialect; it is never sent to a peer that speaks the specification.`

/** Kinds in the order of the catalogue, cut where its sections begin. */
const SECTIONS = [
  ['parse_error', 'JSON-RPC'],
  ['message_too_large', 'Limits on messages'],
  ['not_initialized', 'Life of a session'],
  ['request_timeout', 'Requests'],
  ['capability_not_supported', 'Capabilities and headers'],
  ['resource_not_found', 'Things that are looked up'],
  ['tool_execution_failed', 'Tools'],
  ['url_elicitation_required', 'The user and the model'],
  ['translation_failed', 'Translation between versions'],
  ['refusal_content_policy', 'Refusals'],
]

const HEAD = ['kind', 'code', 'HTTP', 'recoverable', 'advice', 'erlmcp', 'message', 'when']

export function renderErrors({ catalogue, codeOf, versions }) {
  const titles = new Map(SECTIONS)
  const parts = [INTRODUCTION]
  let rows = []
  const flush = () => {
    if (rows.length > 0) parts.push(table(HEAD, rows))
    rows = []
  }
  for (const [kind, entry] of Object.entries(catalogue)) {
    if (titles.has(kind)) {
      flush()
      parts.push(`## ${titles.get(kind)}`)
      titles.delete(kind)
    }
    const recoverable = entry.recoverable ? 'yes' : 'no'
    rows.push([
      code(kind),
      codes(kind, codeOf, versions),
      entry.httpStatus,
      recoverable,
      entry.advice,
      entry.erlmcpCode ?? '',
      entry.message,
      entry.when,
    ])
  }
  flush()
  if (titles.size > 0) throw new Error(`Sections without their first kind: ${[...titles.values()].join(', ')}`)
  return `${parts.join('\n\n')}\n`
}

/** `-32002, from 2026-07-28 -32602` */
function codes(kind, codeOf, versions) {
  const parts = []
  let last
  for (const version of versions) {
    const current = codeOf(kind, version)
    if (current !== last) parts.push(last === undefined ? `${current}` : `from ${version} ${current}`)
    last = current
  }
  return parts.join(', ')
}
