/** Every key of the configuration, what may stand there, what it means, and what holds without it. */
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
  policy: field('Restarted always (permanent), only after a failure (transient), or never (temporary).', policy, {
    default: 'permanent' as const,
    examples: ['transient'],
  }),
  maxRestarts: field(
    'More restarts than this within the time of `within`, and the server is given up for a while.',
    whole(0, 1000, 3),
    {
      default: 5,
      examples: [3],
    },
  ),
  within: field('The time in which restarts are counted.', duration, { default: 60_000, examples: ['1m'] }),
}

export const RATE_FIELDS = {
  requests: field(
    'How many: that many may come at once, and then one each time that `per` divided by this number has passed.',
    whole(1, 1_000_000_000, 600),
    {
      examples: [600],
    },
  ),
  per: field('The time in which so many may come.', duration, { default: 60_000, examples: ['1m'] }),
}

const rateLimit = required(group(RATE_FIELDS), 'requests', '{ "requests": 600, "per": "1m" }')

const MIB = 1024 * 1024
/** What fits into one string of the runtime. */
const messageSize = size(512 * MIB - 1024)

export const MEMORY_FIELDS = {
  session: field('The most bytes that are kept for one session of a client.', size(), {
    default: 64 * MIB,
    examples: ['64MiB'],
  }),
  principal: field(
    'The most bytes that are kept for one principal, or for one address where requests have no session.',
    size(),
    {
      default: 128 * MIB,
      examples: ['128MiB'],
    },
  ),
  total: field(
    'The most bytes that are kept for all clients together. Default: an eighth of the heap of the process, but no more than 512 MiB.',
    size(),
    {
      examples: ['256MiB'],
    },
  ),
}

export const TOOL_FIELDS = {
  allow: field('The only tools clients get to see: names, or patterns with *.', list(text(RULES.toolPattern)), {
    examples: [['read_*', 'search']],
  }),
  deny: field('Tools clients never get to see: names, or patterns with *.', list(text(RULES.toolPattern)), {
    default: [] as const,
    examples: [['delete_*']],
  }),
  rename: field(
    'Names at the server, and the names clients see instead.',
    record(RULES.toolName, { key: RULES.toolName, distinct: true }),
    {
      default: {},
      examples: [{ q: 'search' }],
    },
  ),
  pin: field(
    'What happens when the definition of a tool changes after it was first seen: nothing, a report, or the tool is blocked.',
    choice(names('off', 'report', 'block')),
    {
      default: 'off' as const,
      examples: ['report'],
    },
  ),
}

export const SERVER_FIELDS = {
  command: field(
    'The program to start. Beginning with ./ or ../ it is found from the folder of this file.',
    text(RULES.path),
    { examples: ['npx'] },
  ),
  args: field('Its arguments, one text each.', list(text(RULES.any)), {
    default: [] as const,
    examples: [['-y', 'some-server']],
  }),
  env: field(
    'Environment variables for it, on top of the few every child inherits.',
    record(RULES.any, { key: RULES.variableName }),
    {
      default: {},
      examples: [{ TOKEN: `\${TOKEN}` }],
    },
  ),
  cwd: field('The folder it is started in, seen from the folder of this file.', text(RULES.path), {
    examples: ['./data'],
  }),
  url: field('Where a server that is already running is reached.', text(RULES.url), {
    examples: ['https://search.example/mcp', 'wss://search.example/mcp', 'tcp://127.0.0.1:7000'],
  }),
  transport: field('How it is spoken to; without it, found out by asking.', transport, {
    examples: ['streamable-http'],
  }),
  type: field('The same as `transport`, as other programs write it.', transport, { examples: ['http'] }),
  headers: field(
    'Headers sent with every request.',
    record(RULES.headerValue, { key: RULES.headerName, caseless: true }),
    {
      default: {},
      examples: [{ Authorization: `Bearer \${TOKEN}` }],
    },
  ),
  disabled: field('Left out, as if it were not in the file.', flag, { default: false, examples: [true] }),
  versions: field(
    'The protocol versions to speak with it; without it, all.',
    list(choice(names(...versions)), { filled: true }),
    {
      examples: [['2025-06-18']],
    },
  ),
  dialect: field('A dialect it speaks instead of plain MCP.', choice(names('erlmcp')), { examples: ['erlmcp'] }),
  session: field(
    "Whose session with the server a client without a session of its own is given: one for all, one for each user (the local user, or each principal), one for each request, or the client's handle. Default: for each user where the user is known, else for each request.",
    choice(names('shared', 'principal', 'request', 'handle')),
    { examples: ['principal'] },
  ),
  urlMode: field(
    'How a client of 2025-11-25 learns of a link that a server of 2026-07-28 wants its user to open: it is asked while its request waits (ask), or the request ends with error -32042 and goes on when the client makes it again (error).',
    choice(names('ask', 'error')),
    { default: 'ask' as const, examples: ['error'] },
  ),
  restart: field(
    'When it is started again after it has ended: a policy, or a policy with its limits.',
    either(policy, group(RESTART_FIELDS)),
    {
      examples: ['transient', { policy: 'permanent', maxRestarts: 5, within: '1m' }],
    },
  ),
  lazy: field('Started by the first client that needs it, not with the gateway.', flag, {
    default: false,
    examples: [true],
  }),
  idleStop: field('Stopped after so long without use; without it, never.', duration, { examples: ['10m'] }),
  timeout: field(
    'How long a request may go without an answer or progress; clients that give up earlier cancel it themselves.',
    duration,
    {
      default: 600_000,
      examples: ['30s'],
    },
  ),
  initialiseTimeout: field('How long it may take until it is ready.', duration, { default: 60_000, examples: ['2m'] }),
  maxConcurrent: field('The most requests it is sent at once.', whole(1, 100_000, 10), {
    default: 100,
    examples: [10],
  }),
  maxQueued: field(
    'The most requests that wait for their turn, or for the server to start.',
    whole(0, 1_000_000, 100),
    { default: 1000, examples: [100] },
  ),
  maxSessions: field(
    'The most sessions clients may have with it at once, each a process where it is started. Over it, the session that is silent longest makes room, of the client that has the most.',
    whole(1, 100_000, 20),
    { default: 200, examples: [20] },
  ),
  maxRounds: field(
    'The most times a request of a client of an earlier version is made again because the server, one of 2026-07-28, has answered it with questions.',
    whole(1, 1000, 20),
    { default: 8, examples: [20] },
  ),
  maxMessageSize: field(
    'The longest message that is read from it; a longer result is refused. Default: `maxMessageSize` of the gateway.',
    messageSize,
    {
      examples: ['256MiB'],
    },
  ),
  rateLimit: field(
    'The most requests it is sent by all clients together; without it, any number. Answers from the cache do not count.',
    rateLimit,
    {
      examples: [{ requests: 100, per: '1m' }],
    },
  ),
  tools: field('Which of its tools clients get to see, and under which names.', group(TOOL_FIELDS), {
    examples: [{ deny: ['delete_*'] }],
  }),
  cache: field('Whether lists and reads are kept as long as the server allows.', flag, {
    default: true,
    examples: [false],
  }),
  poll: field('How often lists are compared where the server cannot tell of changes.', duration, {
    default: 60_000,
    examples: ['5m'],
  }),
}

export const GATEWAY_FIELDS = {
  port: field('The port to listen on; 0 takes any that is free.', whole(0, 65_535, 8080), {
    default: 4000,
    examples: [8080],
  }),
  host: field('The address to listen on. Anything but this machine needs `allowedHosts`.', text(RULES.host), {
    default: '127.0.0.1',
    examples: ['0.0.0.0'],
  }),
  store: field('Where sessions are kept.', text(RULES.store), { default: 'memory', examples: ['memory'] }),
  allowedHosts: field(
    'The names this gateway is reached by, beside those of this machine where it listens to this machine alone. `"any"` (or `"*"`) allows every name.',
    list(text(RULES.allowedHost), { filled: true }),
    {
      examples: [['mcp.example.com']],
    },
  ),
  allowedOrigins: field('The web pages that may call it; without it, none.', list(text(RULES.origin)), {
    examples: [['https://app.example']],
  }),
  metricsHosts: field(
    'Names by which monitors may read `/metrics`, beside `allowedHosts` and plain IP addresses, which always may. `"any"` (or `"*"`) allows every name.',
    list(text(RULES.allowedHost)),
    { default: [] as readonly string[], examples: [['parley.monitoring.svc']] },
  ),
  principalHeader: field('The header in which a proxy in front tells who the client is.', text(RULES.headerName), {
    examples: ['X-Forwarded-User'],
  }),
  sessionIdle: field(
    'How long a client over HTTP may leave its session unused and its streams closed before the session ends, with the processes that run for it; so for conversations kept for clients without a session.',
    duration,
    { default: 1_800_000, examples: ['5m'] },
  ),
  maxMessageSize: field(
    'The longest message that is read from a server, where the server has no `maxMessageSize` of its own.',
    messageSize,
    {
      default: 64 * MIB,
      examples: ['256MiB'],
    },
  ),
  maxRequestSize: field('The longest message that is read from a client.', messageSize, {
    default: 4 * MIB,
    examples: ['16MiB'],
  }),
  rateLimit: field(
    'The most requests one client may make, at all addresses together; without it, any number.',
    rateLimit,
    {
      examples: [{ requests: 600, per: '1m' }],
    },
  ),
  memory: field(
    'How many bytes may be kept because of clients: calls that wait, subscriptions, listeners, tasks.',
    group(MEMORY_FIELDS),
    {
      examples: [{ session: '64MiB', total: '256MiB' }],
    },
  ),
  requiredServers: field(
    'Servers without which the gateway is not ready: `/readyz` answers 503 while one of them cannot be used. Without it, the gateway is ready when it can serve.',
    list(text(RULES.filled)),
    { default: [] as readonly string[], examples: [['files']] },
  ),
  log: field('What is written to the log.', choice(names('debug', 'info', 'warning', 'error', 'silent')), {
    default: 'info' as const,
    examples: ['debug'],
  }),
  translation: field(
    'What older peers get of fields they merely do not know: as they are (lenient), or moved to one they know, or left out (strict).',
    choice(names('lenient', 'strict')),
    {
      default: 'lenient' as const,
      examples: ['strict'],
    },
  ),
  pins: field(
    'The file that keeps the definitions of pinned tools, seen from the folder of this file.',
    text(RULES.path),
    { examples: ['./pins.json'] },
  ),
  audit: field(
    'The file to which a receipt of every request is added, seen from the folder of this file; without it, none are kept.',
    text(RULES.path),
    {
      examples: ['./audit.jsonl'],
    },
  ),
  crashReports: field(
    'The folder for reports of errors that end the gateway, seen from the folder of this file. Default: `parley-crash-reports`. `"off"`: none are written.',
    text(RULES.path),
    { examples: ['./crashes', 'off'] },
  ),
}

export type ServerValues = Values<typeof SERVER_FIELDS>
