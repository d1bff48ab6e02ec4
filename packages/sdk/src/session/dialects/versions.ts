/** The versions to speak with a peer: one, where it speaks a dialect. */
import { ParleyError } from '../../errors/index.ts'

import { type DialectName, dialect, dialectNames, isDialect, type ProtocolVersion } from '../../versions/index.ts'

interface Spoken {
  versions?: readonly ProtocolVersion[] | undefined
  dialect?: DialectName | undefined
}

/** `undefined` when nothing was asked for. */
export function spokenVersions({ versions, dialect: name }: Spoken): readonly ProtocolVersion[] | undefined {
  if (name === undefined) return versions
  if (!isDialect(name))
    throw new RangeError(`Not a dialect: ${JSON.stringify(name)}; there is ${dialectNames.join(', ')}`)
  const { version } = dialect(name)
  if (versions === undefined || versions.includes(version)) return [version]
  throw new ParleyError('unsupported_protocol_version', {
    message: `The dialect ${name} goes with protocol version ${version}, which is not among those to be spoken: ${versions.join(', ') || 'none'}`,
    data: { requested: version, supported: [...versions] },
  })
}
