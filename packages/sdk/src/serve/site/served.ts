/** One server of a site and its paths. */
import type { CloseOptions } from '../../session/index.ts'
import type { Mount } from './site.ts'
import type { RouteRegistration } from './site-routes.ts'

export interface ServedMounts {
  /** Other paths of the server and their mounts. They are closed with it. */
  mounts?: Readonly<Record<string, Mount>>
}

export interface Served {
  /** The path of Streamable HTTP. */
  readonly path: string
  /** The number of its sessions. */
  readonly sessions: number
  /**
   * Accepts no new sessions, lets running requests finish, and ends the sessions of this server only. Another server
   * can use its paths at once.
   */
  close(options?: CloseOptions): Promise<void>
}

export class ServedServer implements Served {
  readonly path: string
  readonly #mounts: readonly Mount[]
  readonly #registration: RouteRegistration
  #closing: Promise<void> | undefined

  constructor(path: string, mounts: readonly Mount[], registration: RouteRegistration) {
    this.path = path
    this.#mounts = mounts
    this.#registration = registration
  }

  get sessions(): number {
    return this.#mounts.reduce((sum, mount) => sum + (mount.count?.() ?? 0), 0)
  }

  close(options: CloseOptions = {}): Promise<void> {
    this.#closing ??= this.#close(options)
    return this.#closing
  }

  /** The mounts stay until all sessions have ended: running requests may still need answers of their clients. */
  async #close(options: CloseOptions): Promise<void> {
    this.#registration.release()
    try {
      await Promise.all(this.#mounts.map((mount) => mount.close?.(options)))
    } finally {
      this.#registration.remove()
    }
  }
}
