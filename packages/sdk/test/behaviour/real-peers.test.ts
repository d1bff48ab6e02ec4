/** Published clients and servers of every handshake version, against ours. */
import { describe, expect, it } from 'vitest'
import { type Client, connect } from '../../src/client.ts'
import { memoryPair } from '../../src/testing.ts'
import { everything } from './everything.ts'
import { LinkTransport } from './link-transport.ts'

type Result = Record<string, unknown>

/** As much of their interface as is used here; it is the same in all of them. */
interface TheirClient {
  connect(transport: LinkTransport): Promise<void>
  close(): Promise<void>
  getServerVersion(): Result
  getServerCapabilities(): Result
  listTools(): Promise<{ tools: Result[] }>
  callTool(params: Result, schema?: undefined, options?: Result): Promise<Result>
  listResources(): Promise<{ resources: Result[] }>
  listResourceTemplates(): Promise<{ resourceTemplates: Result[] }>
  readResource(params: Result): Promise<{ contents: Result[] }>
  listPrompts(): Promise<{ prompts: Result[] }>
  getPrompt(params: Result): Promise<{ messages: Result[] }>
  complete(params: Result): Promise<{ completion: Result }>
  setLoggingLevel(level: string): Promise<Result>
  ping(): Promise<Result>
  setRequestHandler(schema: unknown, handler: (request: Result) => Result): void
}

interface TheirServer {
  connect(transport: LinkTransport): Promise<void>
  setRequestHandler(
    schema: unknown,
    handler: (request: { params: Result }, extra: never) => Result | Promise<Result>,
  ): void
}

interface Package {
  Client: new (info: Result, options?: Result) => TheirClient
  Server: new (info: Result, options?: Result) => TheirServer
  types: Record<string, unknown>
}

const packages: Record<string, () => Promise<Package>> = {
  '2024-11-05': async () =>
    ({
      ...(await import('sdk-2024-11-05/client/index.js')),
      ...(await import('sdk-2024-11-05/server/index.js')),
      types: await import('sdk-2024-11-05/types.js'),
    }) as never,
  '2025-03-26': async () =>
    ({
      ...(await import('sdk-2025-03-26/client/index.js')),
      ...(await import('sdk-2025-03-26/server/index.js')),
      types: await import('sdk-2025-03-26/types.js'),
    }) as never,
  '2025-06-18': async () =>
    ({
      ...(await import('sdk-2025-06-18/client/index.js')),
      ...(await import('sdk-2025-06-18/server/index.js')),
      types: await import('sdk-2025-06-18/types.js'),
    }) as never,
  '2025-11-25': async () =>
    ({
      ...(await import('sdk-2025-11-25/client/index.js')),
      ...(await import('sdk-2025-11-25/server/index.js')),
      types: await import('sdk-2025-11-25/types.js'),
    }) as never,
}

const HAS_ELICITATION: ReadonlySet<string> = new Set(['2025-06-18', '2025-11-25'])
const HAS_STRUCTURED: ReadonlySet<string> = new Set(['2025-06-18', '2025-11-25'])

describe.each(Object.entries(packages))('V1 a published client of %s and our server', (version, load) => {
  async function theirClient(capabilities: Result = {}) {
    const { Client, types } = await load()
    const [near, far] = memoryPair()
    const session = everything().accept(far, { keepAlive: false })
    const client = new Client({ name: 'theirs', version: '1' }, { capabilities })
    await client.connect(new LinkTransport(near))
    return { client, session, types }
  }

  it('agree on the version and see each other', async () => {
    const { client, session } = await theirClient()
    expect(session.version).toBe(version)
    expect(session.peer?.info.name).toBe('theirs')
    expect(client.getServerVersion()).toMatchObject({ name: 'everything' })
    expect(Object.keys(client.getServerCapabilities())).toEqual(
      expect.arrayContaining(['tools', 'resources', 'prompts', 'logging']),
    )
    await client.ping()
    await client.close()
  })

  it('list and call tools', async () => {
    const { client } = await theirClient()
    const { tools } = await client.listTools()
    expect(tools.map((tool) => tool['name'])).toContain('forecast')
    const result = await client.callTool({ name: 'forecast', arguments: { city: 'Oslo' } })
    const content = result['content'] as { text: string }[]
    expect(JSON.parse(content[0]?.text ?? '')).toEqual({ city: 'Oslo', high: 21, days: 3 })
    expect(result['structuredContent']).toEqual(
      HAS_STRUCTURED.has(version) ? { city: 'Oslo', high: 21, days: 3 } : undefined,
    )
    expect(await client.callTool({ name: 'forecast', arguments: { city: 'Atlantis' } })).toMatchObject({
      isError: true,
      content: expect.arrayContaining([{ type: 'text', text: 'Atlantis has sunk' }]),
    })
  })

  it('carry content of every kind in a form the client accepts', async () => {
    const { client } = await theirClient()
    const { content } = (await client.callTool({ name: 'media', arguments: {} })) as { content: { type: string }[] }
    const known = { '2024-11-05': ['text', 'image', 'resource'], '2025-03-26': ['text', 'image', 'resource', 'audio'] }[
      version
    ]
    for (const block of content) if (known !== undefined) expect(known).toContain(block.type)
    expect(JSON.stringify(content)).toContain('c291bmQ=')
    expect(JSON.stringify(content)).toContain('notes://today')
  })

  it('read resources, fill prompts, complete arguments, set the level', async () => {
    const { client } = await theirClient()
    expect((await client.listResources()).resources.map((entry) => entry['uri'])).toContain('notes://today')
    expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(1)
    expect((await client.readResource({ uri: 'notes://today' })).contents).toEqual([
      expect.objectContaining({ text: 'buy milk' }),
    ])
    expect((await client.readResource({ uri: 'users://ann/profile' })).contents).toEqual([
      expect.objectContaining({ text: expect.stringContaining('ann') }),
    ])
    expect((await client.listPrompts()).prompts.map((entry) => entry['name'])).toEqual(
      expect.arrayContaining(['greet']),
    )
    expect(JSON.stringify(await client.getPrompt({ name: 'greet', arguments: { name: 'Ann' } }))).toContain('Greet Ann')
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name: 'greet' },
      argument: { name: 'name', value: 'An' },
    })
    expect(completion['values']).toEqual(['Ann', 'Anton'])
    await client.setLoggingLevel('error')
  })

  it("get the specification's errors", async () => {
    const { client } = await theirClient()
    await expect(client.callTool({ name: 'nope', arguments: {} })).rejects.toMatchObject({ code: -32602 })
    await expect(client.readResource({ uri: 'notes://none' })).rejects.toMatchObject({ code: -32002 })
    await expect(client.getPrompt({ name: 'nope' })).rejects.toMatchObject({ code: -32602 })
  })

  it('report progress and answer questions', async () => {
    const { client, types } = await theirClient({
      roots: {},
      sampling: {},
      ...(HAS_ELICITATION.has(version) ? { elicitation: {} } : {}),
    })
    const steps: unknown[] = []
    await client.callTool({ name: 'slow', arguments: {} }, undefined, {
      onprogress: (progress: Result) => steps.push(progress['progress']),
    })
    expect(steps).toEqual([1, 2, 3])
    client.setRequestHandler(types['ListRootsRequestSchema'], () => ({ roots: [{ uri: 'file:///tmp' }] }))
    expect(JSON.stringify(await client.callTool({ name: 'places', arguments: {} }))).toContain('file:///tmp')
    client.setRequestHandler(types['CreateMessageRequestSchema'], () => ({
      role: 'assistant',
      model: 'm',
      content: { type: 'text', text: 'forty-two' },
    }))
    expect(JSON.stringify(await client.callTool({ name: 'ask', arguments: { question: '?' } }))).toContain('forty-two')
    if (!HAS_ELICITATION.has(version)) return
    client.setRequestHandler(types['ElicitRequestSchema'], () => ({ action: 'accept', content: { yes: true } }))
    expect(JSON.stringify(await client.callTool({ name: 'confirm', arguments: { env: 'prod' } }))).toContain(
      'deployed to prod',
    )
  })
})

describe.each(Object.entries(packages))('V1 our client and a published server of %s', (version, load) => {
  async function ours(): Promise<Client> {
    const { Server, types } = await load()
    const server = new Server(
      { name: 'theirs', version: '1' },
      { capabilities: { tools: {}, resources: {}, prompts: {}, logging: {} }, instructions: 'hello' },
    )
    const tool = { name: 'echo', inputSchema: { type: 'object', properties: { text: { type: 'string' } } } }
    server.setRequestHandler(types['ListToolsRequestSchema'], () => ({ tools: [tool] }))
    server.setRequestHandler(types['CallToolRequestSchema'], ({ params }) => {
      if (params['name'] !== 'echo')
        throw new (types['McpError'] as new (code: number, message: string) => Error)(-32602, 'Unknown tool')
      return { content: [{ type: 'text', text: String((params['arguments'] as Result)['text']) }] }
    })
    server.setRequestHandler(types['ListResourcesRequestSchema'], () => ({ resources: [{ uri: 'a://b', name: 'b' }] }))
    server.setRequestHandler(types['ReadResourceRequestSchema'], ({ params }) => ({
      contents: [{ uri: params['uri'], text: 'read' }],
    }))
    server.setRequestHandler(types['ListPromptsRequestSchema'], () => ({ prompts: [{ name: 'p' }] }))
    server.setRequestHandler(types['GetPromptRequestSchema'], () => ({
      messages: [{ role: 'user', content: { type: 'text', text: 'prompted' } }],
    }))
    const [near, far] = memoryPair()
    await server.connect(new LinkTransport(far))
    return connect(near, { keepAlive: false })
  }

  it('initialize, list, call, read, prompt', async () => {
    await using client = await ours()
    expect(client.version).toBe(version)
    expect(client.server.name).toBe('theirs')
    expect(client.instructions).toBe('hello')
    expect((await client.tools()).map((tool) => tool.name)).toEqual(['echo'])
    expect((await client.call('echo', { text: 'hi' })).value).toBe('hi')
    await expect(client.call('nope')).rejects.toMatchObject({ code: -32602 })
    expect(await client.resources()).toEqual([{ uri: 'a://b', name: 'b' }])
    expect((await client.read('a://b')).contents).toEqual([{ uri: 'a://b', text: 'read' }])
    expect(await client.prompts()).toEqual([{ name: 'p' }])
    expect((await client.prompt('p')).messages).toEqual([{ role: 'user', content: { type: 'text', text: 'prompted' } }])
    await client.ping()
    expect(client.losses()).toEqual([])
  })
})
