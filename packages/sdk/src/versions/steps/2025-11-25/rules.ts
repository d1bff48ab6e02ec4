/** What 2025-11-25 changed, one sentence a rule. */
import type { RuleRow } from '../../change.ts'

export const rules: readonly RuleRow[] = [
  [
    'C-01',
    'shape',
    'A sampling message may hold several blocks; they become as many messages of the same role, and tool blocks are refused.',
  ],
  [
    'C-02',
    'shape',
    'A sampled answer may hold several blocks; texts are joined, and what is no text is lost beside text.',
  ],
  [
    'C-03',
    'shape',
    'Sampling with tools is refused for a client that cannot do it: without the tools the answer would be another one.',
  ],
  ['C-04', 'shape', 'Sampling has sub-capabilities; plain sampling of an older client includes context, never tools.'],
  ['C-05', 'shape', 'Context from servers is asked for only where the client declared it.'],
  ['C-06', 'prose', 'Order and errors of tool use inside sampling were written down.'],
  [
    'C-10',
    'shape',
    'Elicitation distinguishes forms and links; a client that shows links only offers nothing to an older server.',
  ],
  [
    'C-11',
    'shape',
    'Elicitation names its mode; an older client knows forms only, so the name goes and other modes are refused.',
  ],
  ['C-12', 'shape', 'Elicitation by link has no form in older versions and is refused.'],
  ['C-13', 'shape', 'The notice that an elicitation by link was completed is dropped for older clients.'],
  ['C-14', 'shape', 'The error that demands visiting a link becomes a tool result that shows the link.'],
  [
    'C-15',
    'shape',
    'Titled choices become values with names, multiple choices one boolean per option that is put together again in the answer.',
  ],
  ['C-16', 'shape', 'Texts, numbers and choices of forms may have defaults; strictly, they move to the description.'],
  ['C-17', 'shape', 'A form may name its schema dialect; older readers are not shown it.'],
  ['C-18', 'shape', 'Lists of texts in the answer to a form cannot be shown to an older server.'],
  ['C-20', 'shape', 'Icons pass as unknown fields; strictly, they are removed.'],
  ['C-21', 'shape', 'Implementations may describe themselves and name a web site.'],
  [
    'C-22',
    'shape',
    'Schemas follow the 2020-12 dialect unless they name another; older ones that use draft-07 forms get that name.',
  ],
  [
    'C-23',
    'shape',
    'Tools tell whether they run as tasks; older readers are not told, and call tools that only run so like any other.',
  ],
  [
    'C-24',
    'shape',
    'Requests may be run as tasks; where the receiver has none, the wish is removed and the request runs as usual.',
  ],
  ['C-25', 'shape', 'Metadata that ties messages to tasks goes together with the tasks.'],
  ['C-26', 'prose', 'Which metadata prefixes are reserved is told by another rule.'],
  [
    'C-27',
    'transport',
    'An error for an unreadable request may come without an id; older peers get the null id of JSON-RPC.',
  ],
  ['C-28', 'shape', 'A cancellation may come without a request id; older peers are not sent one.'],
  ['C-29', 'prose', 'Arguments that do not fit should become tool results the model can read.'],
  ['C-30', 'prose', 'Tool names got a recommended alphabet and length.'],
  ['C-31', 'prose', 'Parameters got type names of their own.'],
  ['C-32', 'prose', 'A progress token lives as long as its task.'],
  ['C-33', 'prose', 'What may be written to the error stream was widened, and one sentence on pages was dropped.'],
  [
    'C-34',
    'shape',
    'Output schemas may describe further properties by a schema; readers of 2025-06-18 take only true or false there.',
  ],
  ['C-40', 'transport', 'Event streams begin with an empty event and may be polled; older clients get neither.'],
  ['C-41', 'transport', 'A wrong origin is answered with status 403.'],
  ['C-42', 'transport', 'Falling back to the older HTTP transport is limited to three status codes.'],
  ['C-43', 'transport', 'The session header is spelled differently, which headers do not mind.'],
  [
    'C-44',
    'transport',
    'Authorization learned more ways of discovery and registration, and asking for more rights later.',
  ],
]
