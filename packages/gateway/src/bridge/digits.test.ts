/** Numbers longer than JavaScript can hold come through the bridge as they were written, whichever version each side speaks. */
import type { ProtocolVersion } from 'parley-mcp'
import type { Link, LinkEvents } from 'parley-mcp/engine'
import { afterEach, describe, expect, it } from 'vitest'
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
  link.open = (events: LinkEvents) => open({ ...events, frame: (text, _, origin) => events.frame(text.replace(PLACE, LONG), undefined, origin) })
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

describe('X1 long numbers in results', () => {
  it.each(pairs)('a client of %s sees what a server of %s wrote', async (spoken, version) => {
    const answer = () => ({ content: [], structuredContent: { order: JSON.parse(PLACE), f: 1 } })
    rig = bridgeTo(scripted({ version, answer }), undefined, {}, { wrap: withLongNumbers })
    const client = await rig.connect({ versions: [spoken] })
    let seen = ''
    await client.request(
      'tools/call',
      { name: 'order', arguments: {} },
      {
        onText: (json) => {
          seen = json
        },
      },
    )
    expect(seen).toContain(`"structuredContent":{"order":${LONG},"f":1}`)
    await client.close()
  })
})
