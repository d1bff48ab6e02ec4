/** The facts about one server and its lists, from one connection. */
import type {
  Era,
  Implementation,
  Prompt,
  ProtocolVersion,
  Resource,
  ResourceTemplate,
  ServerCapabilities,
  Tool,
} from 'parley-mcp'
import type { Client } from 'parley-mcp/client'
import { conversationOf } from './conversation.ts'

/** A list, or the reason why it could not be read. */
export interface ListResult<T> {
  readonly count: number
  readonly items: readonly T[]
  readonly error: string | null
}

export interface Survey {
  readonly server: Implementation
  readonly transport: string
  readonly era: Era
  readonly version: ProtocolVersion
  /** The session that a client gets with the server, in one line. */
  readonly conversation: string
  readonly capabilities: ServerCapabilities
  readonly instructions: string | null
  readonly tools: ListResult<Tool>
  readonly resources: ListResult<Resource>
  readonly templates: ListResult<ResourceTemplate>
  readonly prompts: ListResult<Prompt>
}

export async function survey(client: Client): Promise<Survey> {
  const { capabilities, session } = client
  const [tools, resources, templates, prompts] = await Promise.all([
    listed(capabilities.tools !== undefined, () => client.tools()),
    listed(capabilities.resources !== undefined, () => client.resources()),
    listed(capabilities.resources !== undefined, () => client.templates()),
    listed(capabilities.prompts !== undefined, () => client.prompts()),
  ])
  return {
    server: client.server as Implementation,
    transport: session.transport,
    era: session.era as Era,
    version: client.version,
    conversation: conversationOf(session),
    capabilities,
    instructions: client.instructions ?? null,
    tools,
    resources,
    templates,
    prompts,
  }
}

/** A list that cannot be read does not hide the others. */
async function listed<T>(declared: boolean, list: () => Promise<T[]>): Promise<ListResult<T>> {
  if (!declared) return { count: 0, items: [], error: null }
  try {
    const items = await list()
    return { count: items.length, items, error: null }
  } catch (error) {
    return { count: 0, items: [], error: error instanceof Error ? error.message : String(error) }
  }
}
