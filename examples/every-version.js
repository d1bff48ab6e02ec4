/**
 * One server value, and a client of every protocol version: what they agree on, what they say, and what gets lost on
 * the way.
 */
import { audio, createServer, link, text, tool } from 'parley-mcp/server'
import { connect, testVersions } from 'parley-mcp/testing'

const forecast = tool(
  'forecast',
  {
    title: 'Weather forecast',
    description: 'Forecast for a city',
    input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    output: {
      type: 'object',
      properties: { high: { type: 'number' }, low: { type: 'number' } },
      required: ['high', 'low'],
    },
  },
  ({ city }) => ({ high: 12 + city.length, low: 3 }),
)

const bulletin = tool('bulletin', { description: 'The weather, read aloud' }, () => [
  text('Here is the bulletin.'),
  audio('UklGRiQAAABXQVZF', 'audio/wav'),
  link({ uri: 'weather://archive/today', name: 'today', title: 'Archive', mimeType: 'text/plain' }),
])

const deploy = tool(
  'deploy',
  {
    description: 'Deploy the weather station',
    input: { type: 'object', properties: { env: { type: 'string' } }, required: ['env'] },
  },
  async ({ env }, ctx) => {
    const answer = await ctx.elicit('confirm', `Deploy to ${env}?`, {
      type: 'object',
      properties: {
        regions: { type: 'array', items: { type: 'string', enum: ['north', 'south'] }, default: ['north'] },
        yes: { type: 'boolean' },
      },
      required: ['yes'],
    })
    return answer.action === 'accept' && answer.content.yes
      ? `Deployed to ${env}, ${answer.content.regions.join(' and ')}`
      : 'Not deployed'
  },
)

const server = createServer({ name: 'weather-station', version: '1.0.0', title: 'Weather Station' }).add(
  forecast,
  bulletin,
  deploy,
)

const LABEL = 14
const WIDTH = Math.max(60, Math.min(process.stdout.columns ?? 120, 160)) - LABEL - 2
const isTerminal = process.stdout.isTTY === true && process.env.NO_COLOR === undefined
const bold = (words) => (isTerminal ? `\x1b[1m${words}\x1b[22m` : words)
const dim = (words) => (isTerminal ? `\x1b[2m${words}\x1b[22m` : words)
const cut = (line) => (line.length > WIDTH ? `${line.slice(0, WIDTH - 1)}…` : line)

function row(label, ...lines) {
  for (const [at, line] of lines.flatMap(wrap).entries())
    console.log(`  ${(at === 0 ? label : '').padEnd(LABEL)}${line}`)
}

/** Lines of whole words. */
function wrap(text) {
  const lines = ['']
  for (const word of text.split(' ')) {
    const last = lines[lines.length - 1]
    if (last !== '' && last.length + 1 + word.length > WIDTH) lines.push(word)
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
  }
  return lines
}

/** Frames as they went over the wire, cut to the width of the screen. */
function wire(lines) {
  for (const [at, line] of lines.entries()) console.log(`  ${(at === 0 ? 'wire' : '').padEnd(LABEL)}${dim(cut(line))}`)
}

/** One block of content in a few words. */
function brief(block) {
  if (block.type === 'text') return `text "${block.text}"`
  if (block.type === 'resource') return `embedded resource (${block.resource.mimeType})`
  if (block.type === 'resource_link') return `link to ${block.uri}`
  return `${block.type} (${block.mimeType})`
}

function negotiation(client, version) {
  const asker = client.session.self.info.name
  if (client.session.era === 'handshake')
    return `${asker} asked for ${version}; ${client.server.name} agreed on ${client.version}`
  return `none: ${asker} asked what ${client.server.name} speaks, and says with every request that it is made in ${client.version}`
}

async function converse(version) {
  console.log(`\n${bold(version)}\n${'─'.repeat(version.length)}`)
  const client = await connect(server, {
    version,
    info: { name: `client-of-${version}`, version: '1.0.0' },
    elicit: (question) => confirm(question),
  })
  row('negotiation', negotiation(client, version))

  const tools = await client.tools()
  const promised = tools.filter((each) => each.outputSchema !== undefined).map((each) => each.name)
  row(
    'tools',
    `${tools.map((each) => each.name).join(', ')}; with an output schema: ${promised.join(', ') || 'none, the version has no such thing'}`,
  )

  const weather = await client.call('forecast', { city: 'Oslo' })
  row(
    'forecast',
    weather.structured === undefined
      ? `as text ${weather.text}`
      : `as structured content ${JSON.stringify(weather.value)}`,
  )

  const { content } = await client.call('bulletin')
  row('bulletin', ...content.map(brief))

  const deployed = await client.call('deploy', { env: 'production' }, { throwOnError: false })
  row('deploy', deployed.isError ? `refused: ${deployed.text}` : deployed.text)

  wire(client.transcript.lines)
  const losses = [...client.serverSession.losses(), ...client.losses()]
  row(
    'lost',
    ...(losses.length === 0
      ? ['nothing']
      : losses.map(({ rule, method, path, detail }) => `${rule} ${method} ${path}: ${detail}`)),
  )
  await client.close()
}

/** Where the version has no choice of several, each option is a yes or no of its own. */
function confirm({ schema }) {
  return 'regions' in schema.properties
    ? { yes: true, regions: ['north', 'south'] }
    : { yes: true, 'regions.north': true, 'regions.south': true }
}

console.log(bold('One server, every protocol version'))
for (const version of testVersions) await converse(version)
