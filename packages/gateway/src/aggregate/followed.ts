/** The resources one listener follows, at whichever servers they are: one that is slow or gone keeps the others waiting for nothing. */
import type { Clock, Inbound, Subscription } from 'parley-mcp/engine'
import type { News, ServedUpstream } from '../bridge/index.ts'
import type { Line } from '../upstream/index.ts'
import type { Directory, Route } from './directory.ts'
import { DEADLINE } from './lists.ts'
import type { Offers } from './offers.ts'

const UPDATED = 'notifications/resources/updated'

interface Following {
  readonly served: ServedUpstream
  stop(): void
}

export class Followed {
  readonly #news: News
  readonly #directory: Directory
  readonly #offers: Offers
  readonly #clock: Clock
  /** By the URI the listener gave. */
  readonly #following = new Map<string, Following>()
  #ended = false

  constructor(news: News, directory: Directory, offers: Offers, clock: Clock) {
    this.#news = news
    this.#directory = directory
    this.#offers = offers
    this.#clock = clock
  }

  /** Whether it is followed now. A server that takes too long is left out. */
  add(uri: string): Promise<boolean> {
    return new Promise((resolve) => {
      let late = false
      const stop = this.#clock.after(DEADLINE, () => {
        late = true
        resolve(false)
      })
      this.#follow(uri).then(
        (following) => {
          stop()
          if (late || this.#ended) following?.stop()
          else if (following !== undefined) this.#following.set(uri, following)
          resolve(following !== undefined)
        },
        () => {
          stop()
          resolve(false)
        },
      )
    })
  }

  /** Servers were replaced: what was followed at the old one is followed at the new one, and may have changed meanwhile. */
  renew(): void {
    for (const [uri, { served, stop }] of [...this.#following]) {
      if (this.#offers.server(served.upstream.name) === served) continue
      stop()
      this.#following.delete(uri)
      void this.add(uri).then((followed) => followed && this.#news.tell(UPDATED, { uri }))
    }
  }

  end(): void {
    this.#ended = true
    for (const { stop } of this.#following.values()) stop()
    this.#following.clear()
  }

  async #follow(uri: string): Promise<Following | undefined> {
    const route = await this.#directory.resource(uri)
    const { line, release } = await lineFor(route.served, this.#news.inbound)
    try {
      const subscription = await this.#subscribe(uri, route, line)
      if (subscription === undefined) release()
      return (
        subscription && {
          served: route.served,
          stop: () =>
            void subscription
              .unsubscribe()
              .catch(() => {})
              .finally(release),
        }
      )
    } catch (error) {
      release()
      throw error
    }
  }

  async #subscribe(uri: string, { served, own }: Route, line: Line): Promise<Subscription | undefined> {
    if (!line.client.session.hasPeerCapability('resources.subscribe')) return undefined
    const { name, shelf } = served.upstream
    return line.subscribe(own, (changed) => {
      shelf.updated(changed)
      this.#news.tell(UPDATED, { uri: changed === own ? uri : this.#offers.publicUri(name, changed) })
    })
  }
}

/** Where a conversation is kept for the client, what it follows is what happens there. */
async function lineFor({ upstream }: ServedUpstream, inbound: Inbound): Promise<{ line: Line; release: () => void }> {
  upstream.demandUp()
  const home = await upstream.home()
  const lease = home.stateless ? undefined : await upstream.lines.lend(inbound)
  const line = lease?.line ?? home
  line.users++
  const release = (): void => {
    line.users--
    lease?.release()
  }
  return { line, release }
}
