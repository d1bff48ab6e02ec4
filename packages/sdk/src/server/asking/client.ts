/** The client as handlers see it, and which questions it can answer. */
import { ParleyError } from '../../errors/index.ts'
import type { Body } from '../../jsonrpc/index.ts'
import type { ClientCapabilities, Implementation } from '../../protocol/index.ts'
import type { Caller } from '../../session/index.ts'
import { methodIn, type ProtocolVersion, supports } from '../../versions/index.ts'

const METHODS: Readonly<Record<string, string>> = {
  elicitation: 'elicitation/create',
  sampling: 'sampling/createMessage',
  roots: 'roots/list',
}

/**
 * Parts of a capability that are newer than the capability. A client may declare them and negotiate an older
 * version (C2).
 */
const FEATURES: Readonly<Record<string, string>> = {
  'elicitation.url': 'elicitation-url',
  'sampling.tools': 'sampling-tools',
}

export class ClientView {
  readonly #caller: Caller

  constructor(caller: Caller) {
    this.#caller = caller
  }

  get info(): Implementation | undefined {
    return this.#caller.info
  }

  get capabilities(): ClientCapabilities {
    return this.#caller.capabilities
  }

  /**
   * Whether the client can be asked: `'elicitation'`, `'elicitation.url'`, `'sampling'`, `'sampling.tools'`, `'roots'`.
   */
  can(capability: string): boolean {
    return offers(this.#caller, capability)
  }
}

/** Whether the client declared the capability and its version has it; `elicitation: {}` means forms. */
function offers(caller: Caller, path: string): boolean {
  const method = methodOf(path)
  if (method !== undefined && !caller.can(method)) return false
  if (!isKnown(caller.version, path)) return false
  if (path === 'elicitation.form') return caller.declares(path) || !caller.declares('elicitation.url')
  return caller.declares(path)
}

/** Whether the version has the capability, declared or not. */
function isKnown(version: ProtocolVersion, path: string): boolean {
  const method = methodOf(path)
  const feature = FEATURES[path]
  return (
    (method === undefined || methodIn(version, method) !== undefined) &&
    (feature === undefined || supports(version, feature))
  )
}

function methodOf(path: string): string | undefined {
  return METHODS[path.split('.', 1)[0] as string]
}

/** Throws `missing_client_capability` if the client cannot be asked. */
export function requireCapability(caller: Caller, path: string): void {
  if (offers(caller, path)) return
  const requiredCapabilities = path.split('.').reduceRight<Body>((inner, key) => ({ [key]: inner }), {})
  const why = isKnown(caller.version, path)
    ? 'this client did not declare'
    : `protocol version ${caller.version} does not have`
  throw new ParleyError('missing_client_capability', {
    message: `This needs the client capability "${path}", which ${why}`,
    data: { requiredCapabilities },
  })
}
