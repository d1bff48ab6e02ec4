/**
 * Sessions for one request each: says once that a server cannot remember anything in them, to whoever has not asked for
 * that.
 */
import type { SessionPolicy } from '../config/index.ts'
import type { GatewayLog } from '../log/index.ts'
import type { Profile } from './profile.ts'

interface Server {
  readonly name: string
  readonly log: GatewayLog
  readonly config: { readonly session: SessionPolicy | undefined }
}

/** Whoever has written these knows, or is told something else. */
const KNOWN: ReadonlySet<SessionPolicy | undefined> = new Set(['request', 'shared'])

export class SingleUse {
  readonly #server: Server
  #seen = 0

  constructor(server: Server) {
    this.#server = server
  }

  /** Of one request alone nothing is lost. */
  note(profile: Profile): void {
    const { name, log, config } = this.#server
    if (KNOWN.has(config.session) || this.#seen === 2 || ++this.#seen < 2) return
    const remedy = profile.isAskable
      ? '"session": "principal" with gateway.principalHeader keeps one for each user'
      : '"session": "shared" keeps one for all'
    const words =
      'clients of 2026-07-28 get a session of their own for each request, and what the server remembers is lost between them'
    log.info(`${name}: ${words}; ${remedy}`, { server: name })
  }
}
