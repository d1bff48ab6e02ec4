/**
 * Remembers digests of one server's lists to find changes that the server cannot report, while a client wants to know.
 */
import { createHash } from 'node:crypto'
import { declares } from 'parley-mcp'
import type { Body } from 'parley-mcp/engine'
import type { Conversation } from '../conversation/conversation.ts'
import type { ListKind, Upstream } from '../upstream.ts'

/** What a list consists of: methods, the field of their results, and what an item is known by. */
const PARTS: Readonly<Record<ListKind, readonly (readonly [method: string, field: string, key: string])[]>> = {
  tools: [['tools/list', 'tools', 'name']],
  prompts: [['prompts/list', 'prompts', 'name']],
  resources: [
    ['resources/list', 'resources', 'uri'],
    ['resources/templates/list', 'resourceTemplates', 'uriTemplate'],
  ],
}

/** What was seen of a list. */
interface Seen {
  readonly whole: string
  /** Of the names alone. */
  readonly names: string
  /** How often since it was last the same only its details were different. */
  readonly restless: number
}

/**
 * A list whose details differ more often than this in a row never repeats, as one with the time of day in it: from then
 * on its names count.
 */
const MOST_RESTLESS = 3
/** Most pages of one list. */
const MOST_PAGES = 1000
/**
 * The first look is to know what later ones are compared with; by then it shows whether the server has a stream for
 * news.
 */
const FIRST = 2000

export class Polling {
  readonly #upstream: Upstream
  readonly #random: () => number
  /** Who wants to know. */
  readonly #followers = new Map<ListKind, Set<() => void>>()
  readonly #digests = new Map<ListKind, Seen>()
  #stop: (() => void) | undefined
  #looking = false
  #said = false
  #closed = false

  constructor(upstream: Upstream, random: () => number) {
    this.#upstream = upstream
    this.#random = random
  }

  /** Told when this list has been found different; the returned function ends it. */
  follow(kind: ListKind, changed: () => void): () => void {
    const followers = this.#followers.get(kind) ?? new Set()
    // An object of its own, so that the same function may be given twice.
    const follower = (): void => changed()
    this.#followers.set(kind, followers.add(follower))
    if (!this.#digests.has(kind)) this.#wake(FIRST)
    return () => {
      if (!followers.delete(follower) || followers.size > 0) return
      this.#followers.delete(kind)
      this.#digests.delete(kind)
      if (this.#followers.size === 0) this.#rest()
    }
  }

  close(): void {
    this.#closed = true
    this.#rest()
  }

  #rest(): void {
    this.#stop?.()
    this.#stop = undefined
  }

  /** Many gateways must not ask all at once. */
  #wake(within: number): void {
    if (this.#closed || this.#looking) return
    this.#rest()
    const wait = Math.min(within, this.#upstream.config.poll)
    this.#stop = this.#upstream.clock.after(wait * (0.9 + 0.2 * this.#random()), () => {
      this.#looking = true
      void this.#lookAtAll().finally(() => {
        this.#looking = false
        if (this.#followers.size > 0) this.#wake(Number.POSITIVE_INFINITY)
      })
    })
  }

  /** Nobody is started for it, and nobody who can tell is asked. */
  async #lookAtAll(): Promise<void> {
    const conversation = this.#upstream.anyConversation
    if (conversation === undefined || conversation.hears) return this.#digests.clear()
    const kinds = [...this.#followers.keys()].filter((kind) =>
      declares(conversation.introduction.capabilities, `${kind}.listChanged`),
    )
    if (kinds.length > 0) this.#say()
    for (const kind of kinds) await this.#look(conversation, kind)
  }

  async #look(conversation: Conversation, kind: ListKind): Promise<void> {
    try {
      const { whole, names } = await digestOf(conversation, kind)
      const before = this.#digests.get(kind)
      const followers = this.#followers.get(kind)
      if (followers === undefined) return
      const isSame = before === undefined || before.whole === whole
      const isRestless = !isSame && before.names === names
      const restless = isSame ? 0 : before.restless + (isRestless ? 1 : 0)
      this.#digests.set(kind, { whole, names, restless })
      if (isRestless && restless === MOST_RESTLESS + 1) this.#sayRestless(kind)
      if (isSame || (isRestless && restless > MOST_RESTLESS)) return
      this.#upstream.listChanged(kind)
      for (const follower of [...followers]) follower()
    } catch (error) {
      const { name, log } = this.#upstream
      log.debug(
        `${name}: its ${kind} could not be compared: ${error instanceof Error ? error.message : String(error)}`,
        { server: name },
      )
    }
  }

  #sayRestless(kind: ListKind): void {
    const { name, log } = this.#upstream
    log.warning(
      `${name}: its ${kind} are different each time they are read; from now on clients are told only of those that come and go`,
      { server: name },
    )
  }

  #say(): void {
    if (this.#said) return
    this.#said = true
    const { name, config, log } = this.#upstream
    log.info(
      `${name} has no stream for news: while somebody listens, its lists are compared every ${config.poll / 1000} s`,
      { server: name },
    )
  }
}

async function digestOf(conversation: Conversation, kind: ListKind): Promise<{ whole: string; names: string }> {
  const [whole, names] = [createHash('sha256'), createHash('sha256')]
  const hash: Hashing = (items, key) => {
    whole.update(JSON.stringify(items))
    names.update(JSON.stringify(Array.isArray(items) ? items.map((item: Body | null) => item?.[key] ?? null) : null))
  }
  const [first, ...others] = PARTS[kind]
  if (first !== undefined) await addList(conversation, first, hash)
  // Servers with resources need not know templates.
  for (const other of others) await addList(conversation, other, hash).catch(() => {})
  return { whole: whole.digest('base64'), names: names.digest('base64') }
}

type Hashing = (items: unknown, key: string) => void

async function addList(
  conversation: Conversation,
  [method, field, key]: readonly [string, string, string],
  hash: Hashing,
): Promise<void> {
  let cursor: unknown
  for (let page = 0; page < MOST_PAGES; page++) {
    const params: Body = cursor === undefined ? {} : { cursor }
    const result = await conversation.request(method, params, {})
    hash(result[field] ?? [], key)
    cursor = result['nextCursor']
    if (cursor === undefined) return
  }
}
