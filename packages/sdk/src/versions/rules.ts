/** Every known difference between two adjacent versions, one sentence each; steps, tests and `docs/translation.md` cite the ids. */

/**
 * - `shape`: a pure rewrite of one message, carried out by a step.
 * - `flow`: a conversation that takes another form and needs memory.
 * - `transport`: how bytes, headers and streams travel.
 * - `prose`: words or type names changed, messages did not.
 */
export type RuleKind = 'shape' | 'flow' | 'transport' | 'prose'

export interface RuleInfo {
  readonly id: string
  readonly kind: RuleKind
  readonly summary: string
}

type Row = readonly [id: string, kind: RuleKind, summary: string]

const to20250326: readonly Row[] = [
  ['A-01', 'flow', 'Arrays of messages exist in 2025-03-26 only: they are taken apart on arrival and their answers put together again.'],
  ['A-02', 'shape', 'Completion became a declared capability; an older server with prompts or resources is taken to offer it.'],
  ['A-03', 'shape', 'Progress notifications may carry a line of text.'],
  ['A-04', 'shape', 'Audio in tool and prompt results becomes an embedded resource with the same bytes, in lists after a line of text.'],
  ['A-05', 'shape', 'A sampling request that contains audio is refused: a model asked without its audio would answer something else.'],
  ['A-06', 'shape', 'A sampled answer that consists of audio becomes an error for the server that cannot read it.'],
  ['A-07', 'shape', 'Tools may carry behaviour hints and a display title in annotations.'],
  ['A-08', 'prose', 'The base of annotated objects got a name of its own.'],
  ['A-09', 'transport', 'One streamable HTTP endpoint took the place of the event stream with a separate address for posts.'],
  ['A-10', 'transport', 'HTTP sessions are named by a header instead of living as long as a connection.'],
  ['A-11', 'transport', 'Event streams have event ids and can be resumed.'],
  ['A-12', 'transport', 'Losing a connection no longer means cancelling what runs on it.'],
  ['A-13', 'transport', 'Version and transport are chosen independently of each other.'],
  ['A-14', 'transport', 'Authorization for HTTP was specified.'],
  ['A-15', 'prose', 'Time-outs and the errors of completion were written down; the messages stayed.'],
]

const to20250618: readonly Row[] = [
  ['B-01', 'flow', 'Arrays of messages were abolished: they are taken apart and never produced.'],
  ['B-02', 'shape', 'Servers may ask the user for input; toward older peers the capability is withdrawn and the request refused.'],
  ['B-03', 'shape', 'Forms are flat objects of texts, numbers, booleans and choices; older versions have no forms at all.'],
  ['B-04', 'shape', 'Structured tool output is removed, and written as JSON text where no text says the same already.'],
  ['B-05', 'shape', 'Output schemas go together with structured output: an older reader gets neither.'],
  ['B-06', 'shape', 'Links to resources in results become a line of text with name, address, type and description.'],
  ['B-07', 'shape', 'Display titles pass as unknown fields; strictly, they move to the nearest field an older reader shows.'],
  ['B-08', 'shape', 'Free metadata is allowed on more objects and passes unchanged.'],
  ['B-09', 'shape', 'Completion may be told the arguments chosen so far; an older server suggests without them.'],
  ['B-10', 'shape', 'The reference to a resource template changed its type name, not its form.'],
  ['B-11', 'shape', 'Annotations may tell when something was last modified.'],
  ['B-12', 'transport', 'HTTP requests after the handshake name the version in a header.'],
  ['B-13', 'flow', 'Keeping to the negotiated version and capabilities became an obligation.'],
  ['B-14', 'transport', 'Servers became OAuth resource servers with metadata of their own.'],
  ['B-15', 'shape', 'Prompt messages hold the same content blocks as tool results, links included.'],
]

const to20251125: readonly Row[] = [
  ['C-01', 'shape', 'A sampling message may hold several blocks; they become as many messages of the same role, and tool blocks are refused.'],
  ['C-02', 'shape', 'A sampled answer may hold several blocks; texts are joined, and what is no text is lost beside text.'],
  ['C-03', 'shape', 'Sampling with tools is refused for a client that cannot do it: without the tools the answer would be another one.'],
  ['C-04', 'shape', 'Sampling has sub-capabilities; plain sampling of an older client includes context, never tools.'],
  ['C-05', 'shape', 'Context from servers is asked for only where the client declared it.'],
  ['C-06', 'prose', 'Order and errors of tool use inside sampling were written down.'],
  ['C-10', 'shape', 'Elicitation distinguishes forms and links; a client that shows links only offers nothing to an older server.'],
  ['C-11', 'shape', 'Elicitation names its mode; an older client knows forms only, so the name goes and other modes are refused.'],
  ['C-12', 'shape', 'Elicitation by link has no form in older versions and is refused.'],
  ['C-13', 'shape', 'The notice that an elicitation by link was completed is dropped for older clients.'],
  ['C-14', 'shape', 'The error that demands visiting a link becomes a tool result that shows the link.'],
  ['C-15', 'shape', 'Titled choices become values with names, multiple choices one boolean per option that is put together again in the answer.'],
  ['C-16', 'shape', 'Texts, numbers and choices of forms may have defaults; strictly, they move to the description.'],
  ['C-17', 'shape', 'A form may name its schema dialect; older readers are not shown it.'],
  ['C-18', 'shape', 'Lists of texts in the answer to a form cannot be shown to an older server.'],
  ['C-20', 'shape', 'Icons pass as unknown fields; strictly, they are removed.'],
  ['C-21', 'shape', 'Implementations may describe themselves and name a web site.'],
  ['C-22', 'shape', 'Schemas follow the 2020-12 dialect unless they name another; older ones that use draft-07 forms get that name.'],
  ['C-23', 'shape', 'Tools tell whether they run as tasks; older readers are not told, and call tools that only run so like any other.'],
  ['C-24', 'shape', 'Requests may be run as tasks; where the receiver has none, the wish is removed and the request runs as usual.'],
  ['C-25', 'shape', 'Metadata that ties messages to tasks goes together with the tasks.'],
  ['C-26', 'prose', 'Which metadata prefixes are reserved is told by another rule.'],
  ['C-27', 'transport', 'An error for an unreadable request may come without an id; older peers get the null id of JSON-RPC.'],
  ['C-28', 'shape', 'A cancellation may come without a request id; older peers are not sent one.'],
  ['C-29', 'prose', 'Arguments that do not fit should become tool results the model can read.'],
  ['C-30', 'prose', 'Tool names got a recommended alphabet and length.'],
  ['C-31', 'prose', 'Parameters got type names of their own.'],
  ['C-32', 'prose', 'A progress token lives as long as its task.'],
  ['C-33', 'prose', 'What may be written to the error stream was widened, and one sentence on pages was dropped.'],
  ['C-34', 'shape', 'Output schemas may describe further properties by a schema; readers of 2025-06-18 take only true or false there.'],
  ['C-40', 'transport', 'Event streams begin with an empty event and may be polled; older clients get neither.'],
  ['C-41', 'transport', 'A wrong origin is answered with status 403.'],
  ['C-42', 'transport', 'Falling back to the older HTTP transport is limited to three status codes.'],
  ['C-43', 'transport', 'The session header is spelled differently, which headers do not mind.'],
  ['C-44', 'transport', 'Authorization learned more ways of discovery and registration, and asking for more rights later.'],
]

const to20260728: readonly Row[] = [
  ['D-01', 'shape', 'Every request carries version, capabilities and name of its client in metadata.'],
  ['D-02', 'shape', 'Every result tells its type; what is neither complete nor a known question cannot be shown to an older client.'],
  ['D-03', 'shape', 'Results carry the name of the server in metadata.'],
  ['D-04', 'shape', 'Notifications of a subscription carry its id in metadata.'],
  ['D-05', 'shape', 'Trace context has reserved names in metadata and passes unchanged.'],
  ['D-06', 'flow', 'Answers to questions travel in the parameters of a repeated request and never reach an older server.'],
  ['D-07', 'shape', 'The wish to run as a task left the parameters.'],
  ['D-08', 'flow', 'Only clients send requests and only servers answer; questions travel inside results.'],
  ['D-09', 'flow', 'A request id has to be unique among the requests in flight only.'],
  ['D-10', 'shape', 'A cancellation names its request again.'],
  ['D-11', 'flow', 'No request may rely on an earlier one or on its connection.'],
  ['D-12', 'prose', 'Many types got names of their own.'],
  ['D-15', 'flow', 'The handshake gave way to discovery.'],
  ['D-16', 'flow', 'Discovery tells versions, capabilities and instructions of a server.'],
  ['D-17', 'flow', 'Ping was removed and is answered on the spot.'],
  ['D-18', 'flow', 'The log level is told with each request instead of once per session.'],
  ['D-19', 'flow', 'Subscriptions to resources became part of one listening request.'],
  ['D-20', 'flow', 'Sampling, elicitation and roots are questions inside a result instead of requests.'],
  ['D-21', 'flow', 'Tasks left the core for an extension.'],
  ['D-22', 'flow', 'Questions are allowed in three methods only.'],
  ['D-25', 'shape', 'The notice that roots changed was removed.'],
  ['D-26', 'flow', 'The notice that an elicitation by link was completed was removed.'],
  ['D-27', 'flow', 'Clients no longer report progress.'],
  ['D-28', 'flow', 'Log messages belong to the request that asked for them.'],
  ['D-29', 'flow', 'Change notices come on a listening request that asked for them.'],
  ['D-30', 'flow', 'A listening request is acknowledged first.'],
  ['D-31', 'flow', 'Cancelling by notification is left to few cases.'],
  ['D-32', 'flow', 'The notice of a task changing its state has another name and form.'],
  ['D-40', 'shape', 'Client capabilities lost tasks and root changes and gained extensions.'],
  ['D-41', 'shape', 'Server capabilities lost tasks and gained extensions.'],
  ['D-42', 'shape', 'Lists and readings tell how long and for whom they may be kept.'],
  ['D-43', 'shape', 'Structured output may be any value; toward older readers what is no object is wrapped in one.'],
  ['D-44', 'shape', 'Output schemas may describe any value; toward older readers they are wrapped like the value.'],
  ['D-45', 'shape', 'Input schemas may use every keyword; boolean subschemas are written as objects for older readers.'],
  ['D-46', 'shape', 'Input schemas may name headers for arguments; invalid names from older servers are removed.'],
  ['D-47', 'shape', 'Tools no longer tell whether they run as tasks.'],
  ['D-48', 'shape', 'Elicitation by link has no id any more; older clients get a fresh one.'],
  ['D-49', 'shape', 'Sampling and elicitation parameters lost metadata and tasks.'],
  ['D-50', 'shape', 'Answers to elicitation and roots lost their metadata.'],
  ['D-51', 'shape', 'A completion has at most a hundred values.'],
  ['D-52', 'prose', 'An empty cursor is a cursor.'],
  ['D-53', 'flow', 'Lists must not differ between connections.'],
  ['D-54', 'shape', 'A missing resource is told by another error code.'],
  ['D-55', 'prose', 'Roots, sampling and logging are on their way out but alive.'],
  ['D-56', 'prose', 'Some duties of clients and servers were written down.'],
  ['D-57', 'shape', 'The older code for a missing resource is no longer allowed.'],
  ['D-58', 'flow', 'The error that demands visiting a link became a question inside a result.'],
  ['D-59', 'shape', 'Errors about headers, capabilities and versions have codes an older client does not know.'],
  ['D-5A', 'shape', 'Codes of the reserved range that mean nothing are replaced by an internal error that keeps them as data.'],
  ['D-60', 'transport', 'Headers repeat method, name and chosen arguments, and must agree with the body.'],
  ['D-61', 'transport', 'HTTP knows no sessions and no stream of its own for server messages.'],
  ['D-62', 'transport', 'Streams have no event ids: a broken one loses its request.'],
  ['D-63', 'transport', 'Closing the answer stream cancels the request.'],
  ['D-64', 'transport', 'Unknown methods have status 404, and errors carry a JSON-RPC body.'],
  ['D-65', 'transport', 'On standard streams the era is found out by asking for discovery.'],
  ['D-66', 'transport', 'Long streams are kept alive by comments and protected from buffering.'],
  ['D-67', 'transport', 'A server without handshake tells a caller of initialize which versions it has.'],
  ['D-68', 'transport', 'Authorization checks the issuer and binds credentials to it.'],
]

/** Within one version as well: what a server says that its version does not allow. */
const inEveryVersion: readonly Row[] = [
  ['R-01', 'flow', 'A definition in a list that clients would refuse is mended where that does no harm, and else left out alone.'],
  ['R-02', 'flow', 'A result that is none of its method is mended where that does no harm, and else becomes an error.'],
]

export const rules: readonly RuleInfo[] = [...to20250326, ...to20250618, ...to20251125, ...to20260728, ...inEveryVersion].map(([id, kind, summary]) => ({
  id,
  kind,
  summary,
}))

const byId: ReadonlyMap<string, RuleInfo> = new Map(rules.map((rule) => [rule.id, rule]))

export function ruleInfo(id: string): RuleInfo | undefined {
  return byId.get(id)
}
