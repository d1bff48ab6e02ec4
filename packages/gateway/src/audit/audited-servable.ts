/** An address that writes a receipt for each request on each of its links. */
import { randomBytes } from 'node:crypto'
import { type AcceptOptions, type Clock, DEFAULT_LIMITS, type Link, type Session } from 'parley-mcp/engine'
import type { Servable } from 'parley-mcp/server'
import type { Location, Subject } from '../upstream/index.ts'
import { AuditedLink } from './audited-link.ts'
import { LinkAccount } from './link-account.ts'
import type { AuditEntry } from './receipt.ts'

export interface LocatingServable extends Servable {
  /** The server of a request's subject, as far as known. */
  locate(subject: Subject | undefined): Location
}

export interface AuditedOptions {
  readonly clock: Clock
  readonly write: (entry: AuditEntry) => void
  /** Called with the reason when a receipt could not be made. */
  readonly onMissed: (cause: unknown) => void
}

type Admission = Parameters<Servable['accept']>[1]

export class AuditedServable implements Servable {
  readonly #inner: LocatingServable
  readonly #options: AuditedOptions

  constructor(inner: LocatingServable, options: AuditedOptions) {
    this.#inner = inner
    this.#options = options
  }

  accept(link: Link, options: Admission = {}): Session {
    const account = new LinkAccount({
      ...this.#options,
      locate: (subject) => this.#inner.locate(subject),
      // Random, because the id of the session gives access to the session.
      session: options.sharedLink === true ? undefined : randomBytes(6).toString('hex'),
      principal: options.principal,
    })
    const told: AcceptOptions = { ...options, onRequestLoss: (request, loss) => account.lose(request, loss) }
    return this.#inner.accept(
      new AuditedLink(link, account, this.#options.onMissed, { ...DEFAULT_LIMITS, ...options.limits }),
      told,
    )
  }
}
