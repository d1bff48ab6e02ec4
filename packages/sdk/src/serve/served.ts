/** One server of a site: the paths that are its own, from the first to the last of its sessions. */
import type { CloseOptions } from '../session/index.ts'
import type { Mount } from './site.ts'
import type { Stay } from './stations.ts'

export interface ServedMounts {
  /** Other paths of the server, and what answers them; they end with it. */
  mounts?: Readonly<Record<string, Mount>>
}

export interface Served {
  /** Where Streamable HTTP is spoken. */
  readonly path: string
  /** How many sessions it has. */
  readonly sessions: number
  /**
   * Takes no new sessions, lets running requests finish, and ends its sessions; other servers of the site go on. Its
   * paths can be taken by another one at once.
   */
  close(options?: CloseOptions): Promise<void>
}

export class ServedServer implements Served {
  readonly path: string
  readonly #mounts: readonly Mount[]
  readonly #stay: Stay
  #closing: Promise<void> | undefined

  constructor(path: string, mounts: readonly Mount[], stay: Stay) {
    this.path = path
    this.#mounts = mounts
    this.#stay = stay
  }

  get sessions(): number {
    return this.#mounts.reduce((sum, mount) => sum + (mount.count?.() ?? 0), 0)
  }

  close(options: CloseOptions = {}): Promise<void> {
    this.#closing ??= this.#close(options)
    return this.#closing
  }

  /**
   * The mounts stay until the end: what still runs may need an answer of its client. Others meet who comes instead, or
   * are told to come again.
   */
  async #close(options: CloseOptions): Promise<void> {
    this.#stay.leave()
    try {
      await Promise.all(this.#mounts.map((mount) => mount.close?.(options)))
    } finally {
      this.#stay.end()
    }
  }
}
