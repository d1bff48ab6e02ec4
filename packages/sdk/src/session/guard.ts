/** May this side send this method, in this version, with what was declared? */
import { ParleyError } from '../errors/index.ts'
import { type Capabilities, declares, type MethodInfo, maySend, type ProtocolVersion, type Side, splitPath, versions } from '../protocol/index.ts'
import { methodIn } from '../versions/index.ts'

export interface Declarations {
  readonly client: Capabilities | undefined
  readonly server: Capabilities | undefined
}

/** The breach, or `undefined` when the method may be sent. Methods no version knows are extensions: they are the endpoint's business. */
export function breach(version: ProtocolVersion, method: string, info: MethodInfo | undefined, sender: Side, declared: Declarations): ParleyError | undefined {
  if (info === undefined) return isKnownSomewhere(method) ? absent(version, method) : undefined
  if (!maySend(info, sender)) return wrongSender(method, sender)
  const path = info.needs?.[sender]
  if (path === undefined) return undefined
  const { side, key } = splitPath(path)
  return declares(declared[side], key) ? undefined : undeclared(method, side, key)
}

function isKnownSomewhere(method: string): boolean {
  return versions.some((version) => methodIn(version, method) !== undefined)
}

function absent(version: ProtocolVersion, method: string): ParleyError {
  return new ParleyError('method_not_found', { message: `${method} does not exist in protocol version ${version}` })
}

function wrongSender(method: string, sender: Side): ParleyError {
  return new ParleyError('method_not_found', { message: `${method} is not sent by a ${sender}` })
}

function undeclared(method: string, side: Side, capability: string): ParleyError {
  return new ParleyError('capability_not_supported', {
    message: `${method} needs the ${side} capability "${capability}", which was not declared`,
    data: { method, capability, side },
  })
}
