/** A server whose results and messages have odd values in every position. */

import type { Acceptor } from '../../src/session/index.ts'
import { eraOf, type ProtocolVersion } from '../../src/versions/index.ts'
import { oddForms } from './odd-values.ts'

type Body = Record<string, unknown>

const schema = { type: 'object', properties: { a: { type: 'string', 'x-mcp-header': 'A' } }, required: ['a'] }
const icons = [{ src: 'https://example.org/a.png', mimeType: 'image/png', sizes: ['1x1'] }]
const annotations = { audience: ['user'], priority: 1, lastModified: '2026-01-01T00:00:00Z' }
const meta = { _meta: { a: 1 } }
const task = {
  taskId: 't',
  status: 'completed',
  statusMessage: 'm',
  createdAt: '2026-01-01T00:00:00Z',
  lastUpdatedAt: '2026-01-01T00:00:00Z',
  ttl: 9,
  pollInterval: 9,
}
const content = [
  { type: 'text', text: 'a', annotations, ...meta },
  { type: 'image', data: 'aaaa', mimeType: 'image/png' },
  { type: 'resource_link', uri: 'a://b', name: 'n', icons, size: 1 },
  { type: 'resource', resource: { uri: 'a://b', text: 't', mimeType: 'text/plain' } },
]

/** The results of a request, with all that can be in them. */
const RESULTS: Readonly<Record<string, readonly Body[]>> = {
  'tools/list': [
    {
      tools: [
        {
          name: 'a',
          title: 't',
          description: 'd',
          inputSchema: schema,
          outputSchema: schema,
          annotations: { title: 'x', readOnlyHint: true },
          icons,
          execution: { taskSupport: 'optional' },
          ...meta,
        },
      ],
      nextCursor: 'n',
      ttlMs: 5,
      cacheScope: 'public',
    },
  ],
  'tools/call': [
    { content, structuredContent: { a: 'b' }, isError: false, ...meta },
    { task },
    { resultType: 'task', ...task, ttlMs: 9, pollIntervalMs: 9 },
    {
      resultType: 'input_required',
      requestState: 's',
      inputRequests: {
        a: { method: 'elicitation/create', params: { mode: 'form', message: 'm', requestedSchema: schema } },
      },
    },
  ],
  'prompts/list': [
    {
      prompts: [
        {
          name: 'a',
          title: 't',
          description: 'd',
          icons,
          arguments: [{ name: 'a', title: 't', description: 'd', required: true }],
        },
      ],
      nextCursor: 'n',
    },
  ],
  'prompts/get': [{ description: 'd', messages: [{ role: 'user', content: content[0] }], ...meta }],
  'resources/list': [
    {
      resources: [{ uri: 'a://b', name: 'n', title: 't', mimeType: 'text/plain', size: 1, icons, annotations }],
      nextCursor: 'n',
    },
  ],
  'resources/templates/list': [
    {
      resourceTemplates: [
        { uriTemplate: 'a://{b}', name: 'n', title: 't', mimeType: 'text/plain', icons, annotations },
      ],
      nextCursor: 'n',
    },
  ],
  'resources/read': [
    { contents: [{ uri: 'a://b', text: 't', mimeType: 'text/plain' }], ttlMs: 5, cacheScope: 'private' },
  ],
  'completion/complete': [{ completion: { values: ['a'], total: 1, hasMore: false } }],
}

const ERRORS: readonly Body[] = [
  {
    error: { code: -32602, message: 'm', data: { uri: 'x', supported: ['a'], requiredCapabilities: { sampling: {} } } },
  },
  {
    error: {
      code: -32042,
      message: 'm',
      data: { elicitations: [{ mode: 'url', elicitationId: 'e', url: 'https://example.org', message: 'm' }] },
    },
  },
]

/** What a server says and asks by itself. */
const MESSAGES: readonly Body[] = [
  { method: 'notifications/progress', params: { progressToken: 1, progress: 1, total: 2, message: 'm' } },
  { method: 'notifications/message', params: { level: 'info', logger: 'l', data: { a: 1 } } },
  { method: 'notifications/resources/updated', params: { uri: 'a://b', title: 't' } },
  { method: 'notifications/cancelled', params: { requestId: 1, reason: 'r' } },
  { method: 'notifications/elicitation/complete', params: { elicitationId: 'e' } },
  { method: 'notifications/tasks/status', params: task },
  { id: 'ask', method: 'elicitation/create', params: { mode: 'form', message: 'm', requestedSchema: schema, ...meta } },
  {
    id: 'ask',
    method: 'sampling/createMessage',
    params: {
      messages: [{ role: 'user', content: content[0] }],
      maxTokens: 1,
      tools: [{ name: 'a', inputSchema: schema }],
    },
  },
  { id: 'ask', method: 'roots/list', params: meta },
]

export interface OddServer extends Acceptor {
  /** From now on every request is answered with this, or as it should be. */
  answer: Body | undefined
  tell(message: Body): void
}

export function oddServer(version: ProtocolVersion): OddServer {
  const links = new Set<{ send(text: string): unknown }>()
  const capabilities = {
    tools: { listChanged: true },
    resources: { subscribe: true },
    prompts: {},
    completions: {},
    logging: {},
    tasks: { requests: { tools: { call: {} } } },
  }
  const usual = (method: string): Body => {
    if (method === 'initialize')
      return { protocolVersion: version, capabilities, serverInfo: { name: 'odd', version: '1' } }
    if (method === 'server/discover')
      return { resultType: 'complete', supportedVersions: [version], capabilities, ttlMs: 0, cacheScope: 'private' }
    return RESULTS[method]?.[0] ?? {}
  }
  const server: OddServer = {
    answer: undefined,
    tell: (message) => {
      for (const link of links) link.send(JSON.stringify({ jsonrpc: '2.0', ...message }))
    },
    accept: ((link: Parameters<Acceptor['accept']>[0]) => {
      links.add(link)
      link.open({
        closed: () => void links.delete(link),
        frame: (text) => {
          const { id, method } = JSON.parse(text) as { id?: unknown; method?: string }
          if (id === undefined || method === undefined) return
          const isOpening = method === 'initialize' || method === 'server/discover'
          const body = isOpening || server.answer === undefined ? usual(method) : server.answer
          const known =
            method === 'server/discover' && eraOf(version) === 'handshake'
              ? { error: { code: -32601, message: 'unknown' } }
              : 'error' in body
                ? body
                : { result: body }
          link.send(JSON.stringify({ jsonrpc: '2.0', id, ...known }))
        },
      })
    }) as never,
  }
  return server
}

/** By method, everything a request of it is answered with. `kinds`: how many of the odd values are used. */
export function* oddAnswers(kinds?: number): Generator<readonly [method: string, answer: Body]> {
  for (const [method, results] of Object.entries(RESULTS)) {
    for (const whole of [...results, ...ERRORS]) {
      for (const form of oddForms(whole, kinds)) if (isBody(form)) yield [method, form]
    }
  }
}

export function* oddMessages(): Generator<Body> {
  for (const message of MESSAGES) for (const form of oddForms(message)) if (isBody(form)) yield form
}

function isBody(form: unknown): form is Body {
  return typeof form === 'object' && form !== null && !Array.isArray(form)
}

export const REQUESTS: Readonly<Record<string, Body>> = {
  'tools/list': {},
  'tools/call': { name: 'a', arguments: { a: 'b' } },
  'prompts/list': {},
  'prompts/get': { name: 'a', arguments: {} },
  'resources/list': {},
  'resources/templates/list': {},
  'resources/read': { uri: 'a://b' },
  'completion/complete': { ref: { type: 'ref/prompt', name: 'a' }, argument: { name: 'a', value: 'b' } },
}
