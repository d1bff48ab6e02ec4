/** Questions a handler may put to the client: what each needs, and how a missing capability is told. */
import { ParleyError } from '../errors/index.ts'
import type { Body } from '../jsonrpc/index.ts'
import type { ProtocolVersion } from '../protocol/index.ts'
import type { Session } from '../session/index.ts'
import { supports } from '../versions/index.ts'

const METHODS: Readonly<Record<string, string>> = { elicitation: 'elicitation/create', sampling: 'sampling/createMessage', roots: 'roots/list' }

/** Parts of a capability that came later than the capability: a client may declare them and yet agree on an older version (C2). */
const FEATURES: Readonly<Record<string, string>> = { 'elicitation.url': 'elicitation-url', 'sampling.tools': 'sampling-tools' }

/** Whether the client declared the capability and the version of the session has it; `elicitation: {}` means forms. */
export function offers(session: Session, path: string): boolean {
  const method = METHODS[path.split('.', 1)[0] as string]
  if (method !== undefined && !session.can(method)) return false
  const feature = FEATURES[path]
  if (feature !== undefined && !supports(session.version as ProtocolVersion, feature)) return false
  if (path === 'elicitation.form') return session.hasPeerCapability(path) || !session.hasPeerCapability('elicitation.url')
  return session.hasPeerCapability(path)
}

export function demand(session: Session, path: string): void {
  if (offers(session, path)) return
  const requiredCapabilities = path.split('.').reduceRight<Body>((inner, key) => ({ [key]: inner }), {})
  throw new ParleyError('missing_client_capability', {
    message: `This needs the client capability "${path}", which this client does not offer in protocol version ${session.version}`,
    data: { requiredCapabilities },
  })
}
