/**
 * The server of the transport suite. It may run in another process, so a test learns what happens in it by calling
 * tools.
 */
import { createServer, resource, type Server, ToolError, tool } from '../../src/server.ts'

export const EXTRA_TOOLS = 500
export const PAGE = 100
/** Room for a megabyte of anything, and too little for two. */
export const MAX_BYTES = 1_500_000

const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const
const tagged = { type: 'object', properties: { tag: { type: 'string' } }, required: ['tag'] } as const
const counted = {
  type: 'object',
  properties: { count: { type: 'number' }, tag: { type: 'string' } },
  required: ['count'],
} as const
const pair = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
} as const
const total = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] } as const

/** One value for all servers: every test has one of its own. */
const extras = Array.from({ length: EXTRA_TOOLS }, (_, index) =>
  tool(`extra-${String(index).padStart(3, '0')}`, { description: `Number ${index}`, input: text }, () => 'extra'),
)

export function suiteServer(): Server {
  /** What has become of the calls that were given a tag. */
  const fates = new Map<string, string>()
  /** Calls that wait for a word. */
  const held = new Map<string, () => void>()
  const hold = (tag: string): Promise<void> => new Promise((resolve) => held.set(tag, resolve))
  let grown = 0

  const server = createServer(
    { name: 'suite', version: '1.0.0' },
    { pageSize: PAGE, limits: { maxBytes: MAX_BYTES }, onError: () => {} },
  ).add(
    tool('about', {}, (_, ctx) =>
      JSON.stringify({ version: ctx.version, client: ctx.client.info?.name, transport: ctx.request.session.transport }),
    ),
    tool('echo', { input: text }, (args) => args.text),
    tool('measure', { input: text }, (args) => String(args.text.length)),
    tool('large', { input: counted }, ({ count }) => 'x'.repeat(count)),
    tool('sum', { input: pair, output: total }, ({ a, b }) => ({ sum: a + b })),
    tool('fail', {}, () => {
      throw new ToolError('on purpose')
    }),
    tool('steps', { input: counted }, async ({ count, tag }, ctx) => {
      const released = tag === undefined ? undefined : hold(tag)
      for (let step = 1; step <= count; step++) ctx.progress(step, count, `step ${step}`)
      await released
      return 'done'
    }),
    tool('say', {}, (_, ctx) => {
      for (const level of ['debug', 'info', 'warning', 'error'] as const) ctx.log(level, level)
      return 'said'
    }),
    tool('wait', { input: tagged }, ({ tag }, ctx) => {
      fates.set(tag, 'running')
      return new Promise<string>((_, reject) => {
        ctx.signal.addEventListener('abort', () => {
          fates.set(tag, 'aborted')
          reject(ctx.signal.reason)
        })
      })
    }),
    tool('fate', { input: tagged }, ({ tag }) => fates.get(tag) ?? 'unknown'),
    tool('release', { input: tagged }, ({ tag }) => {
      held.get(tag)?.()
      return String(held.delete(tag))
    }),
    tool('ask', { input: text }, async (args, ctx) => {
      const { content } = await ctx.sample('ask', args.text)
      return JSON.stringify(content)
    }),
    tool('impatient', { input: tagged }, async ({ tag }, ctx) => {
      const patience = new AbortController()
      void hold(tag).then(() => patience.abort())
      return ctx.sample('ask', tag, { signal: patience.signal }).then(
        () => 'answered',
        (error) => error.kind as string,
      )
    }),
    tool('confirm', {}, async (_, ctx) => {
      const answer = await ctx.elicit('sure', 'Sure?', {
        type: 'object',
        properties: { sure: { type: 'boolean' } },
        required: ['sure'],
      } as const)
      return JSON.stringify(answer)
    }),
    tool('places', {}, async (_, ctx) => (await ctx.roots()).map(({ uri }) => uri).join(' ')),
    tool('touch', { input: text }, (args) => {
      server.updated(args.text)
      return 'touched'
    }),
    tool('grow', {}, () => {
      server.add(tool(`grown-${++grown}`, {}, () => 'new'))
      return `grown-${grown}`
    }),
    resource('notes://today', { mimeType: 'text/plain' }, () => 'buy milk'),
    ...extras,
  )
  return server
}
