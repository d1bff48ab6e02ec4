/** Error objects, with the codes each version gives a meaning. */
import fc from 'fast-check'
import { isAtLeast, type ProtocolVersion } from '../../../src/versions/index.ts'
import { urlElicitation } from './elicitation.ts'
import { clientCapabilities } from './metadata.ts'
import { type ObjectArb, open, V11, V26 } from './shape.ts'
import { json, listOf, strings, text, uri, word } from './values.ts'

const coded = (code: fc.Arbitrary<number>, data?: fc.Arbitrary<unknown>): ObjectArb =>
  data === undefined ? open({ code, message: text }, { data: json }) : open({ code, message: text, data })

const plain = coded(fc.constantFrom(-32700, -32600, -32601, -32602, -32603))
const own = coded(fc.oneof(fc.integer({ min: -32019, max: -32003 }), fc.constantFrom(-32000, -32001, -1, 1, 1001)))
/** Names the address that was asked for, when there is one. */
const missing = (code: number, asked: unknown): ObjectArb =>
  coded(fc.constant(code), open({ uri: asked === undefined ? uri : fc.constant(asked) }))

const undefinedCodes = coded(fc.constantFrom(-32021, -32050, -32099))

const urls = coded(fc.constant(-32042), open({ elicitations: listOf(urlElicitation(V11), 2) }))

const stateless = [
  coded(fc.constant(-32020)),
  coded(fc.constant(-32021), open({ requiredCapabilities: clientCapabilities(V26) })),
  coded(fc.constant(-32022), open({ supported: strings, requested: word })),
]

export const error = (version: ProtocolVersion, asked?: unknown): ObjectArb => {
  if (isAtLeast(version, V26)) return fc.oneof(plain, own, missing(-32602, asked), ...stateless)
  return fc.oneof(plain, own, missing(-32002, asked), undefinedCodes, ...(version === V11 ? [urls] : []))
}
