/** What 2025-03-26 changed, one sentence a rule. */
import type { RuleRow } from '../../change.ts'

export const rules: readonly RuleRow[] = [
  [
    'A-01',
    'flow',
    'Arrays of messages exist in 2025-03-26 only: they are taken apart on arrival and their answers put together again.',
  ],
  [
    'A-02',
    'shape',
    'Completion became a declared capability; an older server with prompts or resources is taken to offer it.',
  ],
  ['A-03', 'shape', 'Progress notifications may carry a line of text.'],
  [
    'A-04',
    'shape',
    'Audio in tool and prompt results becomes an embedded resource with the same bytes, in lists after a line of text.',
  ],
  [
    'A-05',
    'shape',
    'A sampling request that contains audio is refused: a model asked without its audio would answer something else.',
  ],
  ['A-06', 'shape', 'A sampled answer that consists of audio becomes an error for the server that cannot read it.'],
  ['A-07', 'shape', 'Tools may carry behaviour hints and a display title in annotations.'],
  ['A-08', 'prose', 'The base of annotated objects got a name of its own.'],
  [
    'A-09',
    'transport',
    'One streamable HTTP endpoint took the place of the event stream with a separate address for posts.',
  ],
  ['A-10', 'transport', 'HTTP sessions are named by a header instead of living as long as a connection.'],
  ['A-11', 'transport', 'Event streams have event ids and can be resumed.'],
  ['A-12', 'transport', 'Losing a connection no longer means cancelling what runs on it.'],
  ['A-13', 'transport', 'Version and transport are chosen independently of each other.'],
  ['A-14', 'transport', 'Authorization for HTTP was specified.'],
  ['A-15', 'prose', 'Time-outs and the errors of completion were written down; the messages stayed.'],
]
