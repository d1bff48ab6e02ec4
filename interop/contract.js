/** What every server here offers, whoever wrote it: so the same questions can be asked of all of them. */

/**
 * - `echo` {text}: says it back. `sum` {a, b}: structured content {sum}. `fail`: an error result.
 * - `steps`: progress 1, 2, 3 of 3. `wait`: reports progress 1, then answers only when it is cancelled. `cancelled`: answers when a `wait` was.
 * - `touch`: the resource has changed. `grow`: one more tool from now on. `log`: one line to the log.
 * - `ask-model`, `ask-user`, `places`: ask the client back and tell what it said.
 */
export const TOOLS = ['echo', 'sum', 'fail', 'steps', 'wait', 'cancelled', 'touch', 'grow', 'log', 'ask-model', 'ask-user', 'places']
export const GROWN = 'grown'

export const FAILURE = 'It failed on purpose'
export const LINE = 'a line for the log'

export const NOTE = { uri: 'notes://today', name: 'today', text: 'buy milk' }
/** Where tools grow without a word, a resource does with one. */
export const GROWN_NOTE = { uri: 'notes://grown', name: 'grown' }

export const GREET = { name: 'greet', argument: 'name', say: (name) => `Greet ${name} warmly` }
export const NAMES = ['Ann', 'Anton', 'Berta']

export const MODEL_PROMPT = 'What is the answer?'
export const MODEL_ANSWER = 'forty-two'
export const USER_PROMPT = 'Shall it be?'
export const PLACE = { uri: 'file:///somewhere', name: 'somewhere' }

/** Plain JSON Schemas of what tools take and give. */
const object = (properties) => ({ type: 'object', properties, required: Object.keys(properties) })
export const ECHO_INPUT = object({ text: { type: 'string' } })
export const SUM_INPUT = object({ a: { type: 'number' }, b: { type: 'number' } })
export const SUM_OUTPUT = object({ sum: { type: 'number' } })
export const USER_FORM = object({ yes: { type: 'boolean' } })

export const PROBES = [
  'initialize',
  'tools',
  'call',
  'structured',
  'error',
  'progress',
  'cancel',
  'read',
  'subscribe',
  'list_changed',
  'prompt',
  'complete',
  'logging',
  'sampling',
  'elicitation',
  'roots',
]
