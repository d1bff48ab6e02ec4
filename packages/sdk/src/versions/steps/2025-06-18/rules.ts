/** What 2025-06-18 changed, one sentence a rule. */
import type { RuleRow } from '../../change.ts'

export const rules: readonly RuleRow[] = [
  ['B-01', 'flow', 'Arrays of messages were abolished: they are taken apart and never produced.'],
  [
    'B-02',
    'shape',
    'Servers may ask the user for input; toward older peers the capability is withdrawn and the request refused.',
  ],
  [
    'B-03',
    'shape',
    'Forms are flat objects of texts, numbers, booleans and choices; older versions have no forms at all.',
  ],
  ['B-04', 'shape', 'Structured tool output is removed, and written as JSON text where no text says the same already.'],
  ['B-05', 'shape', 'Output schemas go together with structured output: an older reader gets neither.'],
  ['B-06', 'shape', 'Links to resources in results become a line of text with name, address, type and description.'],
  [
    'B-07',
    'shape',
    'Display titles pass as unknown fields; strictly, they move to the nearest field an older reader shows.',
  ],
  ['B-08', 'shape', 'Free metadata is allowed on more objects and passes unchanged.'],
  ['B-09', 'shape', 'Completion may be told the arguments chosen so far; an older server suggests without them.'],
  ['B-10', 'shape', 'The reference to a resource template changed its type name, not its form.'],
  ['B-11', 'shape', 'Annotations may tell when something was last modified.'],
  ['B-12', 'transport', 'HTTP requests after the handshake name the version in a header.'],
  ['B-13', 'flow', 'Keeping to the negotiated version and capabilities became an obligation.'],
  ['B-14', 'transport', 'Servers became OAuth resource servers with metadata of their own.'],
  ['B-15', 'shape', 'Prompt messages hold the same content blocks as tool results, links included.'],
]
