/** Clients that others have published, each in a version of its own, over a link in memory. */
import { Client as NewestClient } from '@modelcontextprotocol/client'
import { memoryPair } from 'parley-mcp/client'
import type { Acceptor, Link } from 'parley-mcp/engine'
import { Client as OldestClient } from 'sdk-2024-11-05/client/index.js'
import { Client as Client2025March } from 'sdk-2025-03-26/client/index.js'
import { Client as Client2025June } from 'sdk-2025-06-18/client/index.js'
import { Client as Client2025November } from 'sdk-2025-11-25/client/index.js'

export interface PublishedClient {
  listTools(): Promise<{ tools: { name: string }[] }>
  listPrompts(): Promise<{ prompts: { name: string }[] }>
  listResources(): Promise<{ resources: { uri: string }[] }>
  listResourceTemplates(): Promise<{ resourceTemplates: { uriTemplate: string }[] }>
  callTool(params: { name: string; arguments?: Record<string, unknown> }): Promise<unknown>
  getPrompt(params: { name: string }): Promise<unknown>
  close(): Promise<void>
}

const INFO = { name: 'published', version: '1' }

const MAKERS = {
  '2024-11-05': () => new OldestClient(INFO, { capabilities: {} }),
  '2025-03-26': () => new Client2025March(INFO, { capabilities: {} }),
  '2025-06-18': () => new Client2025June(INFO, { capabilities: {} }),
  '2025-11-25': () => new Client2025November(INFO, { capabilities: {} }),
  '2026-07-28': () => new NewestClient(INFO, { versionNegotiation: { mode: 'auto' } }),
} as const

export type PublishedVersion = keyof typeof MAKERS

export const publishedVersions = Object.keys(MAKERS) as PublishedVersion[]

export async function publishedClient(version: PublishedVersion, at: Acceptor): Promise<PublishedClient> {
  const [near, far] = memoryPair()
  at.accept(far)
  const client = MAKERS[version]()
  await client.connect(new LinkTransport(near) as never)
  return client as unknown as PublishedClient
}

/** A link as the published clients want it. */
class LinkTransport {
  onmessage: ((message: unknown) => void) | undefined
  onclose: (() => void) | undefined
  onerror: ((error: Error) => void) | undefined
  readonly #link: Link

  constructor(link: Link) {
    this.#link = link
  }

  async start(): Promise<void> {
    this.#link.open({ frame: (text) => this.onmessage?.(JSON.parse(text)), closed: () => this.onclose?.() })
  }

  async send(message: unknown): Promise<void> {
    this.#link.send(JSON.stringify(message))
  }

  async close(): Promise<void> {
    await this.#link.close()
  }
}
