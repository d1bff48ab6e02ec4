/** Small schemas that several definitions use. */

/** One required string. */
export const words = (name) => ({ type: 'object', properties: { [name]: { type: 'string' } }, required: [name] })

/** One required yes or no. */
export const yesOrNo = (name) => ({ type: 'object', properties: { [name]: { type: 'boolean' } }, required: [name] })

/** The text of a model's answer. */
export function said({ content }) {
  const [first] = Array.isArray(content) ? content : [content]
  return first?.type === 'text' ? first.text : JSON.stringify(first)
}
