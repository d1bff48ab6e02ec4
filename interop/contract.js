/** What every server here offers, whoever wrote it: so the same questions can be asked of all of them. */

/**
 * - `echo` {text}: says it back. `sum` {a, b}: structured content {sum}. `fail`: an error result.
 * - `steps`: progress 1, 2, 3 of 3. `wait`: reports progress 1, then answers only when it is cancelled. `cancelled`: answers when a `wait` was.
 * - `touch`: the resource has changed. `grow`: one more tool from now on. `log`: one line to the log.
 * - `ask-model`, `ask-user`, `places`: ask the client back and tell what it said. `ask-both` asks user and model at once, `ask-twice` one after the other.
 * - `zone` {zone}: says it back; over HTTP the argument travels in a header as well, since there is a version that says how.
 * - `job`: may run as a task.
 */
export const TOOLS = [
  'echo',
  'sum',
  'fail',
  'steps',
  'wait',
  'cancelled',
  'touch',
  'grow',
  'log',
  'ask-model',
  'ask-user',
  'places',
  'ask-both',
  'ask-twice',
  'zone',
  'job',
]
/**
 * Only Parley has it: says that the last of the `steps` was noticed, for clients that lose progress which comes in one
 * piece with what follows it.
 */
export const NEXT = 'next'
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
export const BOTH_ANSWERS = `accept true ${MODEL_ANSWER}`
/** Not every header can carry it as it is. */
export const ZONE = ' Köln 🎈'
export const PLACE = { uri: 'file:///somewhere', name: 'somewhere' }

/** Plain JSON Schemas of what tools take and give. */
const object = (properties) => ({ type: 'object', properties, required: Object.keys(properties) })
export const ECHO_INPUT = object({ text: { type: 'string' } })
export const SUM_INPUT = object({ a: { type: 'number' }, b: { type: 'number' } })
export const SUM_OUTPUT = object({ sum: { type: 'number' } })
export const USER_FORM = object({ yes: { type: 'boolean' } })
export const ZONE_INPUT = object({ zone: { type: 'string', 'x-mcp-header': 'Zone' } })

export const PROBES = [
  'initialize',
  'header',
  'tools',
  'call',
  'unknown',
  'structured',
  'error',
  'progress',
  'cancel',
  'read',
  'missing',
  'subscribe',
  'list_changed',
  'prompt',
  'complete',
  'logging',
  'sampling',
  'elicitation',
  'roots',
  'together',
  'in_turn',
  'tasks',
]
