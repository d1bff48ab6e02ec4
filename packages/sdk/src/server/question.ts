/** Questions a handler may put to the client: what each needs, and how a missing capability is told. */
import { ParleyError } from '../errors/index.ts'
import type { Body } from '../jsonrpc/index.ts'
import type { Caller } from '../session/index.ts'
import { supports } from '../versions/index.ts'

const METHODS: Readonly<Record<string, string>> = { elicitation: 'elicitation/create', sampling: 'sampling/createMessage', roots: 'roots/list' }

/** Parts of a capability that came later than the capability: a client may declare them and yet agree on an older version (C2). */
const FEATURES: Readonly<Record<string, string>> = { 'elicitation.url': 'elicitation-url', 'sampling.tools': 'sampling-tools' }

/** Whether the client declared the capability and its version has it; `elicitation: {}` means forms. */
export function offers(caller: Caller, path: string): boolean {
  const method = METHODS[path.split('.', 1)[0] as string]
  if (method !== undefined && !caller.can(method)) return false
  const feature = FEATURES[path]
  if (feature !== undefined && !supports(caller.version, feature)) return false
  if (path === 'elicitation.form') return caller.declares(path) || !caller.declares('elicitation.url')
  return caller.declares(path)
}

export function demand(caller: Caller, path: string): void {
  if (offers(caller, path)) return
  const requiredCapabilities = path.split('.').reduceRight<Body>((inner, key) => ({ [key]: inner }), {})
  throw new ParleyError('missing_client_capability', {
    message: `This needs the client capability "${path}", which this client does not offer in protocol version ${caller.version}`,
    data: { requiredCapabilities },
  })
}
