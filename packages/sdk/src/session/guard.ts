/** May this side send this method, in this version, with what was declared? */
import { ParleyError } from '../errors/index.ts'
import { type Capabilities, declares, type MethodInfo, maySend, type Side, splitPath } from '../protocol/index.ts'
import { isKnownMethod, type ProtocolVersion } from '../versions/index.ts'

export interface Declarations {
  readonly client: Capabilities | undefined
  readonly server: Capabilities | undefined
}

/**
 * Makes no error: many callers only want to know. Methods no version knows are extensions: they are the endpoint's
 * business.
 */
export function isAllowed(method: string, info: MethodInfo | undefined, sender: Side, declared: Declarations): boolean {
  if (info === undefined) return !isKnownMethod(method)
  if (!maySend(info, sender)) return false
  const path = info.needs?.[sender]
  if (path === undefined) return true
  const { side, key } = splitPath(path)
  return declares(declared[side], key)
}

/** The breach, or `undefined` when the method may be sent. */
export function breach(
  version: ProtocolVersion,
  method: string,
  info: MethodInfo | undefined,
  sender: Side,
  declared: Declarations,
): ParleyError | undefined {
  if (isAllowed(method, info, sender, declared)) return undefined
  if (info === undefined) return absent(version, method)
  const path = info.needs?.[sender]
  if (!maySend(info, sender) || path === undefined) return wrongSender(method, sender)
  const { side, key } = splitPath(path)
  return undeclared(method, side, key)
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
