/**
 * Remembers digests of one server's lists to find changes that the server cannot report, while a client wants to know.
 */
import { createHash } from 'node:crypto'
import { declares } from 'parley-mcp'
import type { Body, Clock } from 'parley-mcp/engine'
import type { GatewayLog } from '../../log/index.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { ListKind } from './list-kinds.ts'

/** For each list: its methods, the field of their results, and the key that identifies an item. */
const LIST_PARTS: Readonly<Record<ListKind, readonly (readonly [method: string, field: string, key: string])[]>> = {
  tools: [['tools/list', 'tools', 'name']],
  prompts: [['prompts/list', 'prompts', 'name']],
  resources: [
    ['resources/list', 'resources', 'uri'],
    ['resources/templates/list', 'resourceTemplates', 'uriTemplate'],
  ],
}

/** Digests of the last reading of a list. */
interface Reading {
  /** The digest of all fields. */
  readonly details: string
  /** The digest of the names alone. */
  readonly names: string
  /** How many readings in a row had the same names and other details. */
  readonly sameNames: number
}

/**
 * After so many readings in a row that differ only in details, only names are compared. A list with the time of day in
 * it differs in every reading.
 */
const MAX_SAME_NAMES = 3
const MAX_PAGES = 1000
/**
 * When the first reading takes place, in milliseconds. By then it is known whether the server has a stream for
 * notifications.
 */
const FIRST_POLL_MS = 2000

interface PollingHost {
  readonly name: string
  readonly log: GatewayLog
  readonly clock: Clock
  readonly config: { readonly poll: number }
  readonly anyConversation: Conversation | undefined
  listChanged(kind: ListKind): void
}

export class Polling {
  readonly #server: PollingHost
  readonly #random: () => number
  readonly #followers = new Map<ListKind, Set<() => void>>()
  readonly #readings = new Map<ListKind, Reading>()
  #cancel: (() => void) | undefined
  #isPolling = false
  #hasLogged = false
  #isClosed = false

  constructor(server: PollingHost, random: () => number) {
    this.#server = server
    this.#random = random
  }

  /** Calls `changed` when a reading differs from the last one, until the returned function is called. */
  follow(kind: ListKind, changed: () => void): () => void {
    const followers = this.#followers.get(kind) ?? new Set()
    // A new function, so that the caller may pass the same one twice.
    const follower = (): void => changed()
    this.#followers.set(kind, followers.add(follower))
    if (!this.#readings.has(kind)) this.#pollWithin(FIRST_POLL_MS)
    return () => {
      if (!followers.delete(follower) || followers.size > 0) return
      this.#followers.delete(kind)
      this.#readings.delete(kind)
      if (this.#followers.size === 0) this.#stopTimer()
    }
  }

  close(): void {
    this.#isClosed = true
    this.#stopTimer()
  }

  #stopTimer(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }

  /** The random part keeps many gateways from polling at the same time. */
  #pollWithin(within: number): void {
    if (this.#isClosed || this.#isPolling) return
    this.#stopTimer()
    const wait = Math.min(within, this.#server.config.poll)
    this.#cancel = this.#server.clock.after(wait * (0.9 + 0.2 * this.#random()), () => {
      this.#isPolling = true
      void this.#pollAll().finally(() => {
        this.#isPolling = false
        if (this.#followers.size > 0) this.#pollWithin(Number.POSITIVE_INFINITY)
      })
    })
  }

  /** Polls only a server that is connected and cannot notify. */
  async #pollAll(): Promise<void> {
    const conversation = this.#server.anyConversation
    if (conversation === undefined || conversation.canNotify) return this.#readings.clear()
    const kinds = [...this.#followers.keys()].filter((kind) =>
      declares(conversation.introduction.capabilities, `${kind}.listChanged`),
    )
    if (kinds.length > 0) this.#logPolling()
    for (const kind of kinds) await this.#poll(conversation, kind)
  }

  async #poll(conversation: Conversation, kind: ListKind): Promise<void> {
    try {
      const { details, names } = await digestOf(conversation, kind)
      const before = this.#readings.get(kind)
      const followers = this.#followers.get(kind)
      if (followers === undefined) return
      const isSame = before === undefined || before.details === details
      const hasSameNames = !isSame && before.names === names
      const sameNames = isSame ? 0 : before.sameNames + (hasSameNames ? 1 : 0)
      this.#readings.set(kind, { details, names, sameNames })
      if (hasSameNames && sameNames === MAX_SAME_NAMES + 1) this.#warnNamesOnly(kind)
      if (isSame || (hasSameNames && sameNames > MAX_SAME_NAMES)) return
      this.#server.listChanged(kind)
      for (const follower of [...followers]) follower()
    } catch (error) {
      const { name, log } = this.#server
      log.debug(
        `${name}: its ${kind} could not be compared: ${error instanceof Error ? error.message : String(error)}`,
        { server: name },
      )
    }
  }

  #warnNamesOnly(kind: ListKind): void {
    const { name, log } = this.#server
    log.warning(
      `${name}: its ${kind} are different each time they are read; from now on clients are told only when ${kind} come or go`,
      { server: name },
    )
  }

  #logPolling(): void {
    if (this.#hasLogged) return
    this.#hasLogged = true
    const { name, config, log } = this.#server
    log.info(
      `${name} has no stream for notifications: while a client listens, its lists are compared every ${config.poll / 1000} s`,
      { server: name },
    )
  }
}

async function digestOf(conversation: Conversation, kind: ListKind): Promise<{ details: string; names: string }> {
  const [details, names] = [createHash('sha256'), createHash('sha256')]
  const hash: Hashing = (items, key) => {
    details.update(JSON.stringify(items))
    names.update(JSON.stringify(Array.isArray(items) ? items.map((item: Body | null) => item?.[key] ?? null) : null))
  }
  const [first, ...others] = LIST_PARTS[kind]
  if (first !== undefined) await addList(conversation, first, hash)
  // A server with resources need not have templates.
  for (const other of others) await addList(conversation, other, hash).catch(() => {})
  return { details: details.digest('base64'), names: names.digest('base64') }
}

type Hashing = (items: unknown, key: string) => void

async function addList(
  conversation: Conversation,
  [method, field, key]: readonly [string, string, string],
  hash: Hashing,
): Promise<void> {
  let cursor: unknown
  for (let page = 0; page < MAX_PAGES; page++) {
    const params: Body = cursor === undefined ? {} : { cursor }
    const result = await conversation.request(method, params, {})
    hash(result[field] ?? [], key)
    cursor = result['nextCursor']
    if (cursor === undefined) return
  }
}
