/** What servers that are met through the gateway offer on top of the contract: what differs most between versions. */

/**
 * - `sound`, `pointer`: an audio block, a link to a resource.
 * - `paced`: three steps, each after the last one was noticed: whoever notices it has `NOTICED` completed. No tool says so, because tools may have to wait for each other.
 * - `ask-address`: asks the user to open an address. `ask-choices`: asks to choose, in every way the server's version has.
 * - `ask-in-turn`: asks the model, then for the roots. `long-job`: runs as a task only.
 * - `sign-in`: ends with error -32042 and an address until the file `account` is there, which stands for what the user does at the address.
 */
export const MORE_TOOLS = [
  'sound',
  'pointer',
  'paced',
  'ask-address',
  'ask-choices',
  'ask-in-turn',
  'long-job',
  'sign-in',
]

export const NOTICED = 'noticed'

export const SOUND = {
  type: 'audio',
  mimeType: 'audio/wav',
  data: 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQAAAAA=',
}
export const POINTER = {
  type: 'resource_link',
  uri: 'notes://today',
  name: 'today',
  mimeType: 'text/plain',
  description: 'What is to be done',
}

export const ADDRESS = { message: 'Please sign in', url: 'https://example.com/sign-in' }

const named = { a: 'The first', b: 'The second', c: 'The third' }
const VALUES = Object.keys(named)
const titled = VALUES.map((value) => ({ const: value, title: named[value] }))

const OLDER_CHOICES = {
  plain: { type: 'string', enum: VALUES },
  named: { type: 'string', enum: VALUES, enumNames: Object.values(named) },
}

/** What a form may ask, by the version that brought it. */
export const CHOICES = {
  '2025-06-18': OLDER_CHOICES,
  '2025-11-25': {
    ...OLDER_CHOICES,
    titled: { type: 'string', oneOf: titled },
    several: { type: 'array', items: { type: 'string', enum: VALUES } },
    titledSeveral: { type: 'array', items: { anyOf: titled } },
  },
}

export const choicesForm = (version) => ({ type: 'object', properties: CHOICES[version] })

/** What is chosen, and what the server is to hear of it. */
export const CHOSEN = { plain: 'b', named: 'c', titled: 'b', several: ['a', 'c'], titledSeveral: ['b'] }
export const CHOOSE = 'Please choose'
