/**
 * Numbers longer than JavaScript can hold come through the bridge as they were written, whichever version each side
 * speaks.
 */
import type { ProtocolVersion } from 'parley-mcp'
import type { Body, EngineRequestOptions, Link, LinkEvents } from 'parley-mcp/engine'
import { afterEach, describe, expect, it } from 'vitest'
import { REPORT_KEY } from '../../calls/report.ts'
import type { ServerConfig } from '../../config/index.ts'
import { HANDLE_KEY } from '../../upstream/index.ts'
import { type BridgeRig, bridgeTo } from './bridge.fixtures.ts'
import { scripted } from './peers.fixtures.ts'

const LONG = '12345678901234567890'
/** What stands for it in a server of ours. */
const PLACE = '"12345678901234567890"'

let rig: BridgeRig | undefined
afterEach(async () => await rig?.close())

/** A server in another language writes numbers that ours cannot. */
function withLongNumbers(link: Link): Link {
  const open = link.open.bind(link)
  link.open = (events: LinkEvents) =>
    open({ ...events, frame: (text, _, origin) => events.frame(text.replace(PLACE, LONG), undefined, origin) })
  return link
}

const pairs: [client: ProtocolVersion, server: ProtocolVersion][] = [
  ['2025-11-25', '2025-11-25'],
  ['2025-06-18', '2025-11-25'],
  ['2025-11-25', '2025-06-18'],
  ['2025-11-25', '2026-07-28'],
  ['2026-07-28', '2025-11-25'],
  ['2026-07-28', '2026-07-28'],
]

/** The text of the result that a client of this version gets for a call that is answered so. */
async function seenOf(
  spoken: ProtocolVersion,
  version: ProtocolVersion,
  answer: Body,
  meta: Body = {},
  config: Partial<ServerConfig> = {},
): Promise<string> {
  rig = bridgeTo(scripted({ version, answer: () => answer }), undefined, config, { wrap: withLongNumbers })
  const client = await rig.connect({ versions: [spoken], sessionHandle: false })
  let seen = ''
  const onText = (json: string): void => {
    seen = json
  }
  const options: EngineRequestOptions = { onText }
  await client.request('tools/call', { name: 'order', arguments: {}, _meta: meta }, options)
  await client.close()
  return seen
}

describe('X1 long numbers in results', () => {
  it.each(pairs)('a client of %s sees what a server of %s wrote', async (spoken, version) => {
    const seen = await seenOf(spoken, version, { content: [], structuredContent: { order: JSON.parse(PLACE), f: 1 } })
    expect(seen).toContain(`"structuredContent":{"order":${LONG},"f":1}`)
  })

  it.each(pairs)(
    'a client of %s sees what a server of %s wrote into the metadata, whatever is added to it',
    async (spoken, version) => {
      const metadata = { 'com.example/a': { id: JSON.parse(PLACE) }, 'com.example/b': 1 }
      const seen = await seenOf(spoken, version, { content: [], _meta: metadata })
      expect(seen).toContain(`"com.example/a":{"id":${LONG}},"com.example/b":1`)
    },
  )

  it.each(pairs)('a client of %s that asks what was lost sees what a server of %s wrote', async (spoken, version) => {
    const answer = { content: [], structuredContent: { order: JSON.parse(PLACE) }, _meta: { 'com.example/a': 1 } }
    const seen = await seenOf(spoken, version, answer, { [REPORT_KEY]: true })
    expect(seen).toContain(`"structuredContent":{"order":${LONG}}`)
    expect(seen).toContain(`"${REPORT_KEY}":[`)
  })

  it.each([
    ['2025-11-25', 'alone', JSON.parse(PLACE), LONG],
    ['2025-06-18', 'alone', JSON.parse(PLACE), LONG],
    ['2025-11-25', 'in a list', [JSON.parse(PLACE), 1], `[${LONG},1]`],
    ['2025-06-18', 'in a list', [JSON.parse(PLACE), 1], `[${LONG},1]`],
  ] as const)(
    'D-43 a client of %s sees one that a server of 2026-07-28 wrote %s, in the object around it and in the text',
    async (spoken, _, value, expected) => {
      const seen = await seenOf(spoken, '2026-07-28', { content: [], structuredContent: value })
      expect(JSON.parse(seen).content).toEqual([{ type: 'text', text: expected }])
      expect(seen).toContain(`"structuredContent":{"result":${expected}}`)
    },
  )

  it('D-43 a client without structured output reads one that a server of 2026-07-28 wrote alone', async () => {
    const seen = await seenOf('2025-03-26', '2026-07-28', { content: [], structuredContent: JSON.parse(PLACE) })
    expect(JSON.parse(seen).content).toContainEqual({ type: 'text', text: LONG })
  })

  it.each([
    ['', {}],
    [', also when asked what was lost', { [REPORT_KEY]: true }],
  ])('a client that is handed its session gets the handle beside them%s', async (_, meta) => {
    const answer = { content: [], structuredContent: { f: 1 }, _meta: { 'com.example/id': JSON.parse(PLACE) } }
    const seen = await seenOf('2026-07-28', '2025-11-25', answer, meta, { session: 'handle' })
    expect(seen).toContain(`"com.example/id":${LONG}`)
    expect(seen).toContain(`"${HANDLE_KEY}":"`)
  })
})
