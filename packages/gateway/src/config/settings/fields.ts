/** Every key of the configuration: its values, its meaning and its default. */
import { versions } from 'parley-mcp'
import { either, list, record } from '../shapes/collections.ts'
import { field, group, required, type Values } from '../shapes/group.ts'
import { choice, duration, flag, names, size, text, whole } from '../shapes/scalars.ts'
import { RULES } from '../shapes/text-rules.ts'

const policy = choice(names('permanent', 'transient', 'temporary'))

const TRANSPORTS = {
  ...names('stdio', 'streamable-http', 'sse', 'websocket', 'tcp'),
  http: 'streamable-http',
  streamableHttp: 'streamable-http',
  streamable_http: 'streamable-http',
  ws: 'websocket',
} as const
const transport = choice(TRANSPORTS)

export const RESTART_FIELDS = {
  policy: field(
    'When the gateway restarts it: always (permanent), only after a failure (transient), or never (temporary).',
    policy,
    {
      default: 'permanent' as const,
      examples: ['transient'],
    },
  ),
  maxRestarts: field(
    'The most restarts within the time of `within`. After more, the gateway gives the server up for a while.',
    whole(0, 1000, 3),
    {
      default: 5,
      examples: [3],
    },
  ),
  within: field('The time in which the gateway counts restarts.', duration, { default: 60_000, examples: ['1m'] }),
}

export const RATE_FIELDS = {
  requests: field(
    'The number of requests. So many may come at once. After that, one more each time `per` divided by this number has passed.',
    whole(1, 1_000_000_000, 600),
    {
      examples: [600],
    },
  ),
  per: field('The time in which so many requests may come.', duration, { default: 60_000, examples: ['1m'] }),
}

const rateLimit = required(group(RATE_FIELDS), 'requests', '{ "requests": 600, "per": "1m" }')

const MIB = 1024 * 1024
/** The longest string of the runtime. */
const messageSize = size(512 * MIB - 1024)

export const MEMORY_FIELDS = {
  session: field('The most bytes that the gateway keeps for one session of a client.', size(), {
    default: 64 * MIB,
    examples: ['64MiB'],
  }),
  principal: field(
    'The most bytes that the gateway keeps for one principal, or for one address if requests have no session.',
    size(),
    {
      default: 128 * MIB,
      examples: ['128MiB'],
    },
  ),
  total: field(
    'The most bytes that the gateway keeps for all clients together. Default: an eighth of the heap of the process, but at most 512 MiB.',
    size(),
    {
      examples: ['256MiB'],
    },
  ),
}

export const TOOL_FIELDS = {
  allow: field('The only tools that clients see: names, or patterns with *.', list(text(RULES.toolPattern)), {
    examples: [['read_*', 'search']],
  }),
  deny: field('Tools that clients never see: names, or patterns with *.', list(text(RULES.toolPattern)), {
    default: [] as const,
    examples: [['delete_*']],
  }),
  rename: field(
    'New names for tools: the name at the server, and the name that clients see.',
    record(RULES.toolName, { key: RULES.toolName, distinct: true }),
    {
      default: {},
      examples: [{ q: 'search' }],
    },
  ),
  pin: field(
    'What happens when the definition of a tool changes after the gateway first saw it: nothing (off), a line in the log (report), or the tool is blocked (block).',
    choice(names('off', 'report', 'block')),
    {
      default: 'off' as const,
      examples: ['report'],
    },
  ),
}

export const SERVER_FIELDS = {
  command: field(
    'The program to start. A path that begins with ./ or ../ starts at the folder of this file.',
    text(RULES.path),
    { examples: ['npx'] },
  ),
  args: field('The arguments of the program, one text each.', list(text(RULES.any)), {
    default: [] as const,
    examples: [['-y', 'some-server']],
  }),
  env: field(
    'Environment variables for the program, in addition to the few that every child process inherits.',
    record(RULES.any, { key: RULES.variableName }),
    {
      default: {},
      examples: [{ TOKEN: `\${TOKEN}` }],
    },
  ),
  cwd: field(
    'The working folder of the program. A relative path starts at the folder of this file.',
    text(RULES.path),
    {
      examples: ['./data'],
    },
  ),
  url: field('The address of a server that is already running.', text(RULES.url), {
    examples: ['https://search.example/mcp', 'wss://search.example/mcp', 'tcp://127.0.0.1:7000'],
  }),
  transport: field('The transport of the server. Default: the gateway finds out by asking.', transport, {
    examples: ['streamable-http'],
  }),
  type: field('The same as `transport`, as other programs write it.', transport, { examples: ['http'] }),
  headers: field(
    'Headers for every request to the server.',
    record(RULES.headerValue, { key: RULES.headerName, caseless: true }),
    {
      default: {},
      examples: [{ Authorization: `Bearer \${TOKEN}` }],
    },
  ),
  disabled: field('Ignores the server, as if it were not in the file.', flag, { default: false, examples: [true] }),
  versions: field(
    'The protocol versions to speak with the server. Default: all.',
    list(choice(names(...versions)), { filled: true }),
    {
      examples: [['2025-06-18']],
    },
  ),
  dialect: field('A dialect that the server speaks instead of plain MCP.', choice(names('erlmcp')), {
    examples: ['erlmcp'],
  }),
  session: field(
    'Which session with the server a client without a session gets: one for all clients (shared), one for each user (principal; the local user is one), one for each request (request), or the one of a handle that the client sends (handle). Default: one for each user if the gateway knows the user, else one for each request.',
    choice(names('shared', 'principal', 'request', 'handle')),
    { examples: ['principal'] },
  ),
  urlMode: field(
    'How a client of 2025-11-25 learns of a link that a server of 2026-07-28 wants its user to open. `ask`: the gateway asks the client while the request waits. `error`: the request ends with error -32042 and continues when the client repeats it.',
    choice(names('ask', 'error')),
    { default: 'ask' as const, examples: ['error'] },
  ),
  restart: field(
    'When the gateway restarts the server after it ended: a policy, or a policy with limits.',
    either(policy, group(RESTART_FIELDS)),
    {
      examples: ['transient', { policy: 'permanent', maxRestarts: 5, within: '1m' }],
    },
  ),
  lazy: field('Starts the server when the first client needs it, not with the gateway.', flag, {
    default: false,
    examples: [true],
  }),
  idleStop: field('Stops the server after so long without use. Default: never.', duration, { examples: ['10m'] }),
  timeout: field(
    'The longest time of a request without an answer or progress. A client that gives up earlier cancels its request.',
    duration,
    {
      default: 600_000,
      examples: ['30s'],
    },
  ),
  initialiseTimeout: field('The longest time until the server is ready.', duration, {
    default: 60_000,
    examples: ['2m'],
  }),
  maxConcurrent: field('The most requests that run at the server at once.', whole(1, 100_000, 10), {
    default: 100,
    examples: [10],
  }),
  maxQueued: field(
    'The most requests that wait, for other requests or for the server to start.',
    whole(0, 1_000_000, 100),
    { default: 1000, examples: [100] },
  ),
  maxSessions: field(
    'The most sessions that clients have with the server at once. For a server with `command`, each session is a process. For one more, the gateway takes the client with the most sessions and ends the one that was silent longest.',
    whole(1, 100_000, 20),
    { default: 200, examples: [20] },
  ),
  maxRounds: field(
    'The most times that the gateway repeats a request because a server of 2026-07-28 answered with questions. For clients of earlier versions.',
    whole(1, 1000, 20),
    { default: 8, examples: [20] },
  ),
  maxMessageSize: field(
    'The longest message from the server. The gateway refuses a longer result. Default: `maxMessageSize` of the gateway.',
    messageSize,
    {
      examples: ['256MiB'],
    },
  ),
  rateLimit: field(
    'The most requests that all clients together send to the server. Answers from the cache do not count. Default: no limit.',
    rateLimit,
    {
      examples: [{ requests: 100, per: '1m' }],
    },
  ),
  tools: field('Which tools of the server clients see, and under which names.', group(TOOL_FIELDS), {
    examples: [{ deny: ['delete_*'] }],
  }),
  cache: field('Whether the gateway caches lists and resources for as long as the server allows.', flag, {
    default: true,
    examples: [false],
  }),
  poll: field('How often the gateway compares lists if the server cannot report changes.', duration, {
    default: 60_000,
    examples: ['5m'],
  }),
}

export const GATEWAY_FIELDS = {
  port: field('The port to listen on. 0 takes any free port.', whole(0, 65_535, 8080), {
    default: 4000,
    examples: [8080],
  }),
  host: field(
    'The address to listen on. An address that other machines reach needs `allowedHosts`.',
    text(RULES.host),
    {
      default: '127.0.0.1',
      examples: ['0.0.0.0'],
    },
  ),
  store: field('Where the gateway keeps sessions.', text(RULES.store), { default: 'memory', examples: ['memory'] }),
  allowedHosts: field(
    'The host names of this gateway. If it listens on this machine alone, the names of this machine are always allowed. `"any"` (or `"*"`) allows every name.',
    list(text(RULES.allowedHost), { filled: true }),
    {
      examples: [['mcp.example.com']],
    },
  ),
  allowedOrigins: field(
    'The origins of web pages that may call the gateway. Default: none.',
    list(text(RULES.origin)),
    {
      examples: [['https://app.example']],
    },
  ),
  metricsHosts: field(
    'Host names with which monitors may read `/metrics`. The names of `allowedHosts` and IP addresses are always allowed. `"any"` (or `"*"`) allows every name.',
    list(text(RULES.allowedHost)),
    { default: [] as readonly string[], examples: [['parley.monitoring.svc']] },
  ),
  principalHeader: field(
    'The header in which a proxy names the user of the client (the principal).',
    text(RULES.headerName),
    {
      examples: ['X-Forwarded-User'],
    },
  ),
  sessionIdle: field(
    'How long a session over HTTP may be unused, without an open stream. Then the session ends, with the processes that run for it. The same time holds for server sessions of clients that have no session.',
    duration,
    { default: 1_800_000, examples: ['5m'] },
  ),
  maxMessageSize: field('The longest message from a server that has no `maxMessageSize` of its own.', messageSize, {
    default: 64 * MIB,
    examples: ['256MiB'],
  }),
  maxRequestSize: field('The longest message from a client.', messageSize, {
    default: 4 * MIB,
    examples: ['16MiB'],
  }),
  rateLimit: field('The most requests of one client, at all addresses together. Default: no limit.', rateLimit, {
    examples: [{ requests: 600, per: '1m' }],
  }),
  memory: field(
    'The most bytes that the gateway keeps for clients: calls that wait, subscriptions, listeners, tasks.',
    group(MEMORY_FIELDS),
    {
      examples: [{ session: '64MiB', total: '256MiB' }],
    },
  ),
  requiredServers: field(
    'Servers that the gateway needs to be ready. `/readyz` answers 503 while one of them is not available. Default: the gateway is ready when it can serve.',
    list(text(RULES.filled)),
    { default: [] as readonly string[], examples: [['files']] },
  ),
  log: field(
    'The lowest severity of messages in the log.',
    choice(names('debug', 'info', 'warning', 'error', 'silent')),
    {
      default: 'info' as const,
      examples: ['debug'],
    },
  ),
  translation: field(
    'What older peers get of fields that they do not know. `lenient`: the fields as they are. `strict`: the fields moved to one that the peer knows, or left out.',
    choice(names('lenient', 'strict')),
    {
      default: 'lenient' as const,
      examples: ['strict'],
    },
  ),
  pins: field(
    'The file for the definitions of pinned tools. A relative path starts at the folder of this file.',
    text(RULES.path),
    { examples: ['./pins.json'] },
  ),
  audit: field(
    'The file to which the gateway adds a receipt of every request. A relative path starts at the folder of this file. Default: no receipts.',
    text(RULES.path),
    {
      examples: ['./audit.jsonl'],
    },
  ),
  crashReports: field(
    'The folder for reports of errors that end the gateway. A relative path starts at the folder of this file. Default: `parley-crash-reports`. `"off"`: no reports.',
    text(RULES.path),
    { examples: ['./crashes', 'off'] },
  ),
}

export type ServerValues = Values<typeof SERVER_FIELDS>
