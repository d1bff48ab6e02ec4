/** A client of the gateway, for the log and the limits. */
import { holderOf, type Inbound, type Session } from 'parley-mcp/engine'

/** What is known about a client when its conversation begins. */
interface Admitted {
  readonly principal?: string | undefined
  readonly address?: string | undefined
  /** Whether several clients use one link. */
  readonly sharedLink?: boolean | undefined
}

export class ClientSession {
  /** A number, because the id of the session is a secret. Absent when several clients use one link. */
  readonly label: string | undefined
  readonly principal: string | undefined
  /** The owner of the session, for the limit of sessions. */
  readonly holder: string
  #session: Session | undefined

  constructor(label: string | undefined, { principal, address }: Admitted) {
    this.label = label
    this.principal = principal
    this.holder = holderOf(principal, address)
  }

  /** The gateway's session with the client, once there is one. */
  get session(): Session | undefined {
    return this.#session
  }

  began(session: Session): void {
    this.#session = session
  }
}

/** Numbers the sessions of all addresses of a gateway. */
export class ClientSessions {
  #last = 0

  begin(admitted: Admitted): ClientSession {
    return new ClientSession(admitted.sharedLink === true ? undefined : String(++this.#last), admitted)
  }
}

/** A client about which nothing is known. */
export const UNKNOWN_CLIENT = new ClientSession(undefined, {})

/** The owner of a request without a session. */
export function holderOfRequest({ principal, address }: Inbound): string {
  return holderOf(principal, address)
}
