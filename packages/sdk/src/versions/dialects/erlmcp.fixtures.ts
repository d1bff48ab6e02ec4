/** Messages the papers on erlmcp show (S0 to S4), beside what 2025-11-25 calls the same. */
import type { Body } from '../../jsonrpc/index.ts'
import type { Part } from '../change.ts'
import type { DialectDirection } from './dialect.ts'

export interface Example {
  readonly paper: string
  /** The dialect's name of the method. */
  readonly method: string
  readonly part: Part
  /** Parameters the answer answers, as they are in the dialect. */
  readonly request?: Body
  readonly erlmcp: Body
  readonly standard: Body
  /** Where one side says more than the other, only this way leads exactly here. */
  readonly only?: DialectDirection
  /** Paths of what is told to be lost on the way in. */
  readonly loses?: readonly string[]
}

/** The clock of the tests. */
export const NOON = Date.parse('2026-01-31T12:00:00.000Z')
const noon = '2026-01-31T12:00:00.000Z'

const clientInfo = { name: 'my-client', version: '1.0.0' }
const serverInfo = { name: 'erlmcp-server', version: '2.1.0' }

export const examples: readonly Example[] = [
  {
    paper: 'S4 capability negotiation, request',
    method: 'initialize',
    part: 'params',
    erlmcp: {
      protocolVersion: '2025-11-25',
      capabilities: { resources: {}, tools: {}, prompts: {}, logging: {} },
      clientInfo,
    },
    standard: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
    only: 'in',
  },
  {
    paper: 'S4 initialize',
    method: 'initialize',
    part: 'params',
    erlmcp: {
      protocolVersion: '2025-11-25',
      capabilities: { roots: { listChanged: true }, sampling: {}, tools: { listChanged: true } },
      clientInfo,
    },
    standard: {
      protocolVersion: '2025-11-25',
      capabilities: { roots: { listChanged: true }, sampling: {} },
      clientInfo,
    },
    only: 'in',
  },
  {
    paper: 'S1 client capabilities, without the version it says may be left out',
    method: 'initialize',
    part: 'params',
    erlmcp: { capabilities: { roots: {}, sampling: {}, experimental: { custom_feature: true } }, clientInfo },
    standard: {
      protocolVersion: '2025-11-25',
      capabilities: { roots: {}, sampling: {}, experimental: { custom_feature: {} } },
      clientInfo,
    },
    only: 'in',
  },
  {
    paper: 'S3 capabilities as flags',
    method: 'initialize',
    part: 'params',
    erlmcp: {
      protocolVersion: '2025-11-25',
      capabilities: { resources: true, tools: true, roots: true, sampling: false, tasks: {} },
      clientInfo,
    },
    standard: { protocolVersion: '2025-11-25', capabilities: { roots: {} }, clientInfo },
    only: 'in',
  },
  {
    paper: 'S1, S3, S4 a server offers what its client names, so everything is named',
    method: 'initialize',
    part: 'params',
    erlmcp: {
      protocolVersion: '2025-11-25',
      capabilities: {
        roots: {},
        resources: { subscribe: true, listChanged: true },
        tools: { listChanged: true },
        prompts: { listChanged: true },
        logging: {},
        completions: {},
        tasks: {},
      },
      clientInfo,
    },
    standard: { protocolVersion: '2025-11-25', capabilities: { roots: {} }, clientInfo },
  },
  {
    paper: 'S4 capability negotiation, answer',
    method: 'initialize',
    part: 'result',
    erlmcp: {
      protocolVersion: '2025-11-25',
      capabilities: {
        resources: { subscribe: true, listChanged: true },
        tools: {},
        prompts: { listChanged: true },
        logging: {},
      },
      serverInfo,
    },
    standard: {
      protocolVersion: '2025-11-25',
      capabilities: {
        resources: { subscribe: true, listChanged: true },
        tools: {},
        prompts: { listChanged: true },
        logging: {},
      },
      serverInfo,
    },
  },
  {
    paper: 'S4 tasks are a capability without parts',
    method: 'initialize',
    part: 'result',
    erlmcp: { protocolVersion: '2025-11-25', capabilities: { tools: true, tasks: {} }, serverInfo },
    standard: {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
      serverInfo,
    },
    only: 'in',
  },
  {
    paper: 'S4 list resources',
    method: 'resources/list',
    part: 'result',
    request: { cursor: 'optional-cursor', limit: 100 },
    erlmcp: {
      resources: [
        {
          uri: 'doc://readme',
          name: 'README',
          description: 'Application README',
          mimeType: 'text/markdown',
          metadata: {},
          lastModified: 1640995200000,
        },
      ],
      cursor: 'next-cursor',
    },
    standard: {
      resources: [
        {
          uri: 'doc://readme',
          name: 'README',
          description: 'Application README',
          mimeType: 'text/markdown',
          metadata: {},
          annotations: { lastModified: '2022-01-01T00:00:00.000Z' },
        },
      ],
      nextCursor: 'next-cursor',
    },
  },
  {
    paper: 'S4 list resources, request',
    method: 'resources/list',
    part: 'params',
    erlmcp: { cursor: 'optional-cursor', limit: 100 },
    standard: { cursor: 'optional-cursor' },
    only: 'in',
  },
  {
    paper: 'S4 list tools',
    method: 'tools/list',
    part: 'result',
    erlmcp: {
      tools: [
        { name: 'sql_query', description: 'Execute SQL queries', inputSchema: { type: 'object', required: ['query'] } },
      ],
    },
    standard: {
      tools: [
        {
          name: 'sql_query',
          description: 'Execute SQL queries',
          inputSchema: { type: 'object', required: ['query'] },
          execution: { taskSupport: 'optional' },
        },
      ],
    },
    only: 'in',
  },
  {
    paper: 'S2 §8 what is read has a name',
    method: 'resources/read',
    part: 'result',
    erlmcp: { contents: [{ uri: 'file:///app/config.json', text: '{}', name: 'config.json' }] },
    standard: { contents: [{ uri: 'file:///app/config.json', text: '{}' }] },
  },
  {
    paper: 'S4 create task',
    method: 'tasks/create',
    part: 'params',
    erlmcp: {
      action: { type: 'operation_name', parameters: { key: 'value' } },
      metadata: { progressToken: 'progress-123', timeout: 30000 },
    },
    standard: {
      name: 'operation_name',
      arguments: { key: 'value' },
      task: { ttl: 30000 },
      _meta: { progressToken: 'progress-123' },
    },
  },
  {
    paper: 'S4 create task, answer',
    method: 'tasks/create',
    part: 'result',
    request: { action: { type: 'operation_name' }, metadata: { timeout: 30000 } },
    erlmcp: { taskId: 'task-uuid-here' },
    standard: {
      task: { taskId: 'task-uuid-here', status: 'working', createdAt: noon, lastUpdatedAt: noon, ttl: 30000 },
    },
    only: 'in',
  },
  {
    paper: 'S4 create task, answer with all that is known',
    method: 'tasks/create',
    part: 'result',
    erlmcp: {
      taskId: 't',
      task: { taskId: 't', status: 'processing', createdAt: noon, lastUpdatedAt: noon, ttl: null },
    },
    standard: { task: { taskId: 't', status: 'working', createdAt: noon, lastUpdatedAt: noon, ttl: null } },
  },
  {
    paper: 'S4 states of a task',
    method: 'tasks/get',
    part: 'result',
    request: { taskId: 't' },
    erlmcp: { taskId: 't', status: 'Pending', createdAt: 1640995200000 },
    standard: { taskId: 't', status: 'working', createdAt: '2022-01-01T00:00:00.000Z', lastUpdatedAt: noon, ttl: null },
    only: 'in',
  },
  {
    paper: 'S4 cancel, whose answer is not shown',
    method: 'tasks/cancel',
    part: 'result',
    request: { taskId: 't' },
    erlmcp: {},
    standard: { taskId: 't', status: 'cancelled', createdAt: noon, lastUpdatedAt: noon, ttl: null },
    only: 'in',
  },
  {
    paper: 'S4 complete',
    method: 'completion/complete',
    part: 'params',
    erlmcp: {
      ref: { type: 'tool', name: 'sql_query' },
      argument: { name: 'query', value: 'SELECT * FR' },
      context: { arguments: { limit: 10 } },
    },
    standard: {
      ref: { type: 'ref/tool', name: 'sql_query' },
      argument: { name: 'query', value: 'SELECT * FR' },
      context: { arguments: { limit: '10' } },
    },
    only: 'in',
  },
  {
    paper: 'S4 complete, for a prompt',
    method: 'completion/complete',
    part: 'params',
    erlmcp: { ref: { type: 'prompt', name: 'code_review' }, argument: { name: 'language', value: 'er' } },
    standard: { ref: { type: 'ref/prompt', name: 'code_review' }, argument: { name: 'language', value: 'er' } },
  },
  {
    paper: 'S4 complete, answer',
    method: 'completion/complete',
    part: 'result',
    erlmcp: { completions: [{ value: 'OM users', label: 'Complete SQL FROM clause' }], hasMore: false, total: 1 },
    standard: { completion: { values: ['OM users'], hasMore: false, total: 1 } },
    only: 'in',
    loses: ['completions[0].label'],
  },
  {
    paper: 'S4 complete, answer without labels',
    method: 'completion/complete',
    part: 'result',
    erlmcp: { completions: [{ value: 'erlang' }, { value: 'erb' }], hasMore: true, total: 3 },
    standard: { completion: { values: ['erlang', 'erb'], hasMore: true, total: 3 } },
  },
  {
    paper: 'S4 sampling',
    method: 'sampling/createMessage',
    part: 'params',
    erlmcp: {
      messages: [{ role: 'user', content: { type: 'text', text: 'What should I do?' } }],
      modelPreferences: {
        costPriority: 0.5,
        speedPriority: 0.3,
        intelligencePriority: 0.8,
        temperature: 0.7,
        maxTokens: 1024,
      },
      systemPrompt: 'You are a helpful assistant...',
      includedContext: 'this_request',
    },
    standard: {
      messages: [{ role: 'user', content: { type: 'text', text: 'What should I do?' } }],
      modelPreferences: { costPriority: 0.5, speedPriority: 0.3, intelligencePriority: 0.8 },
      systemPrompt: 'You are a helpful assistant...',
      includeContext: 'none',
      maxTokens: 1024,
      temperature: 0.7,
    },
  },
  {
    paper: 'S4 sampling, with a wish nobody knows and no limit',
    method: 'sampling/createMessage',
    part: 'params',
    erlmcp: { messages: [], includedContext: 'everything' },
    standard: { messages: [], maxTokens: 1024 },
    only: 'in',
    loses: ['includedContext'],
  },
  {
    paper: 'S4 sampling, answer',
    method: 'sampling/createMessage',
    part: 'result',
    erlmcp: {
      model: 'claude-3-sonnet-20240229',
      stopReason: 'end_turn',
      content: [{ type: 'text', text: 'Here is what I recommend...' }],
    },
    standard: {
      role: 'assistant',
      model: 'claude-3-sonnet-20240229',
      stopReason: 'endTurn',
      content: { type: 'text', text: 'Here is what I recommend...' },
    },
    only: 'in',
  },
  {
    paper: 'S4 sampling, answer with its role',
    method: 'sampling/createMessage',
    part: 'result',
    erlmcp: { role: 'assistant', model: 'm', stopReason: 'max_tokens', content: [{ type: 'text', text: 'a' }] },
    standard: { role: 'assistant', model: 'm', stopReason: 'maxTokens', content: { type: 'text', text: 'a' } },
  },
  {
    paper: 'S1 before initialization',
    method: 'resources/list',
    part: 'error',
    erlmcp: { code: -32005, message: 'Cannot list resources before server initialization' },
    standard: {
      code: -32600,
      message: 'Cannot list resources before server initialization',
      data: { 'parley/kind': 'not_initialized' },
    },
    only: 'in',
  },
  {
    paper: 'S1 a second initialize',
    method: 'initialize',
    part: 'error',
    erlmcp: { code: -32005, message: 'Server already initialized. Initialize must be called only once.' },
    standard: {
      code: -32600,
      message: 'Server already initialized. Initialize must be called only once.',
      data: { 'parley/kind': 'already_initialized' },
    },
    only: 'in',
  },
  {
    paper: 'S4 an unknown tool',
    method: 'tools/call',
    part: 'error',
    erlmcp: {
      code: -32002,
      message: 'Tool not found',
      data: { toolId: 'unknown_tool', 'parley/kind': 'tool_not_found' },
    },
    standard: {
      code: -32602,
      message: 'Tool not found',
      data: { name: 'unknown_tool', 'parley/kind': 'tool_not_found' },
    },
  },
  {
    paper: 'S0 §5.3 an unsupported version',
    method: 'initialize',
    part: 'error',
    erlmcp: {
      code: -32602,
      message: 'Unsupported protocol version',
      data: {
        requestedVersion: '2099-01-01',
        supportedVersions: ['2025-11-25'],
        'parley/kind': 'unsupported_protocol_version',
      },
    },
    standard: {
      code: -32602,
      message: 'Unsupported protocol version',
      data: { requested: '2099-01-01', supported: ['2025-11-25'], 'parley/kind': 'unsupported_protocol_version' },
    },
  },
  {
    paper: 'S4 progress',
    method: 'notifications/progress',
    part: 'params',
    erlmcp: { progressToken: 'progress-123', progress: 45.5, total: 100 },
    standard: { progressToken: 'progress-123', progress: 45.5, total: 100 },
  },
  {
    paper: 'S4 resources updated',
    method: 'resources/updated',
    part: 'params',
    erlmcp: { uri: 'weather://city', metadata: { updated_at: 1640995200000, version: '2024-01-01' } },
    standard: { uri: 'weather://city', metadata: { updated_at: 1640995200000, version: '2024-01-01' } },
  },
]
