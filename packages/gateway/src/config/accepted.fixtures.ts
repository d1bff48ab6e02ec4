/** Configurations that must be accepted, by the reader and by the published schema alike. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in texts are the subject.

export const ENV = { TOKEN: 'secret-of-the-environment', PORT: '5000', EMPTY: '', OFF: 'true', LIMIT: '45s' }

export interface Accepted {
  readonly title: string
  readonly value: Readonly<Record<string, unknown>>
}

export const ACCEPTED: readonly Accepted[] = [
  { title: 'the least', value: { mcpServers: { files: { command: 'npx' } } } },
  { title: 'no server yet', value: { mcpServers: {} } },
  {
    title: 'what desktop clients write',
    value: {
      mcpServers: { files: { command: 'npx', args: ['-y', 'some-server', '.'], env: { TOKEN: '${TOKEN}' } } },
      globalShortcut: 'Ctrl+Space',
    },
  },
  {
    title: 'what editors write',
    value: {
      inputs: [{ id: 'key', type: 'promptString' }],
      servers: {
        search: { type: 'http', url: 'https://search.example/mcp', headers: { Authorization: 'Bearer ${env:TOKEN}' } },
      },
    },
  },
  {
    title: 'keys of other clients',
    value: {
      mcpServers: {
        files: {
          command: 'npx',
          autoApprove: ['read'],
          alwaysAllow: [],
          disabledTools: ['write'],
          description: 'Files',
          disabled: false,
        },
      },
    },
  },
  {
    title: 'every key of a command',
    value: {
      $schema: './schema/config.json',
      'x-note': 'free',
      mcpServers: {
        files: {
          command: './bin/server',
          args: [],
          env: {},
          cwd: '../data',
          type: 'stdio',
          disabled: '${NOT_SET:-false}',
          versions: ['2024-11-05', '2026-07-28'],
          dialect: 'erlmcp',
          session: 'principal',
          urlMode: 'error',
          restart: { policy: 'transient', maxRestarts: 0, within: '1.5m' },
          lazy: true,
          idleStop: '10m',
          timeout: '${LIMIT}',
          initialiseTimeout: 90_000,
          maxConcurrent: 1,
          maxQueued: 0,
          maxSessions: 5,
          maxRounds: 20,
          maxMessageSize: '256MiB',
          rateLimit: { requests: 100, per: '1m' },
          tools: { allow: ['read_*'], deny: ['delete'], rename: { q: 'search' }, pin: 'block' },
          cache: false,
          poll: '1h',
        },
      },
    },
  },
  {
    title: 'every transport',
    value: {
      mcpServers: {
        asked: { url: 'https://a.example/mcp' },
        streamable: { url: 'http://b.example/mcp', transport: 'streamable-http' },
        old: { url: 'http://c.example/sse', type: 'sse' },
        socket: { url: 'wss://d.example/ws', transport: 'websocket' },
        guessed: { url: 'ws://e.example' },
        raw: { url: 'tcp://f.example:7000', transport: 'tcp' },
        filled: { url: '${NOT_SET:-https://g.example}', transport: 'streamableHttp', restart: 'temporary' },
      },
    },
  },
  {
    title: 'every key of the gateway',
    value: {
      mcpServers: { files: { command: 'npx' } },
      gateway: {
        port: '${PORT}',
        host: '0.0.0.0',
        store: 'memory',
        allowedHosts: ['mcp.example.com'],
        allowedOrigins: ['https://app.example'],
        metricsHosts: ['parley.monitoring.svc'],
        requiredServers: ['files'],
        principalHeader: 'X-Forwarded-User',
        sessionIdle: '5m',
        rateLimit: { requests: '${PORT}' },
        memory: { session: '1.5MiB', principal: 67_108_864, total: '1GB' },
        log: 'debug',
        translation: 'strict',
        pins: './pins.json',
        audit: './audit.jsonl',
        crashReports: './crashes',
      },
    },
  },
]
