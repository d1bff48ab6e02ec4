/** Schemas the suite wants to see, and small ones that several definitions use. */

/** One required string. */
export const words = (name) => ({ type: 'object', properties: { [name]: { type: 'string' } }, required: [name] })

/** One required yes or no. */
export const yesOrNo = (name) => ({ type: 'object', properties: { [name]: { type: 'boolean' } }, required: [name] })

/** The text of a model's answer. */
export function said({ content }) {
  const [first] = Array.isArray(content) ? content : [content]
  return first?.type === 'text' ? first.text : JSON.stringify(first)
}

export const EVERY_DEFAULT = {
  type: 'object',
  properties: {
    name: { type: 'string', description: 'Your name', default: 'John Doe' },
    age: { type: 'integer', description: 'Your age', default: 30 },
    score: { type: 'number', description: 'Your score', default: 95.5 },
    status: { type: 'string', description: 'Your status', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', description: 'Whether you are verified', default: true },
  },
  required: [],
}

const titled = (count) =>
  Array.from({ length: count }, (_, at) => ({ const: `value${at + 1}`, title: `Option ${at + 1}` }))

export const EVERY_CHOICE = {
  type: 'object',
  properties: {
    untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
    titledSingle: { type: 'string', oneOf: titled(3) },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
    titledMulti: { type: 'array', items: { anyOf: titled(3) } },
  },
  required: [],
}

export const USER = {
  type: 'object',
  properties: {
    username: { type: 'string', description: 'Your name' },
    email: { type: 'string', description: 'Your address' },
  },
  required: ['username', 'email'],
}

/** One of its properties travels in a header as well. */
export const REGION = {
  type: 'object',
  properties: {
    region: { type: 'string', description: 'Where to look', 'x-mcp-header': 'Region' },
    query: { type: 'string', description: 'What to look for' },
  },
}

/** Composition, conditions and anchors: all of it must arrive as written. */
export const CONDITIONAL_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: the keyword is called so
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
}
