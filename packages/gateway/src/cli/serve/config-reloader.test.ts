import { beforeEach, describe, expect, it, vi } from 'vitest'
import { ConfigError, type GatewayConfig, type ParsedConfig, parseConfig } from '../../config/index.ts'
import { silentLog } from '../../log/index.ts'
import { ConfigReloader } from './config-reloader.ts'

const reading = (text: string): ParsedConfig => parseConfig(text, { file: 'parley.json', env: {} })
const one = (): ParsedConfig => reading('{"mcpServers":{"a":{"command":"x"}}}')
const other = (): ParsedConfig => reading('{"mcpServers":{"a":{"command":"y"}}}')
const broken = new ConfigError([
  { file: 'parley.json', line: 1, column: 1, path: '', message: 'No JSON.', hint: 'Mend it.' },
])

let said: string[]
let taken: GatewayConfig[]
let failure: Error | undefined
let reloading: ConfigReloader
beforeEach(() => {
  said = []
  taken = []
  failure = undefined
  const say = (message: string): void => void said.push(message)
  const reload = async (config: GatewayConfig): Promise<void> => {
    if (failure !== undefined) throw failure
    taken.push(config)
  }
  reloading = new ConfigReloader({ reload }, { ...silentLog, info: say, warning: say, error: say }, one().config)
})

const REFUSED = /^The changed configuration was refused. The gateway keeps the previous one: .*/s
const MENDED = 'The configuration is valid again. Nothing has changed'

describe('G a configuration that is read again', () => {
  it('is taken, and nothing is said beside its warnings', async () => {
    await reloading.apply(reading('{"mcpServers":{"a":{"command":"y","note":"z"}}}'))
    expect(taken).toHaveLength(1)
    expect(said).toEqual([expect.stringContaining('note')])
  })

  it('is not taken when it is broken, and it is said when it is mended to what it was', async () => {
    await reloading.apply(broken)
    expect(taken).toEqual([])
    await reloading.apply(one())
    expect(said).toEqual([expect.stringMatching(REFUSED), MENDED])
    await reloading.apply(one())
    expect(said).toHaveLength(2)
  })

  it('is mended to something else without these words', async () => {
    await reloading.apply(broken)
    await reloading.apply(other())
    expect(said).toEqual([expect.stringMatching(REFUSED)])
  })

  it('is not in force where the gateway could not take it', async () => {
    failure = new Error('no pins')
    await reloading.apply(other())
    failure = undefined
    await reloading.apply(one())
    expect(said).toEqual([expect.stringMatching(/keeps the previous one: Error: no pins$/), MENDED])
  })

  it('is compared with what is in force when one that was read before it fails afterwards', async () => {
    const under: { fail(error: Error): void; succeed(): void }[] = []
    const reload = (): Promise<void> => new Promise((succeed, fail) => under.push({ fail, succeed }))
    const say = (message: string): void => void said.push(message)
    const slow = new ConfigReloader({ reload }, { ...silentLog, info: say, error: say }, one().config)
    const third = (): ParsedConfig => reading('{"mcpServers":{"a":{"command":"z"}}}')
    const first = slow.apply(other())
    const second = slow.apply(third())
    await vi.waitFor(() => expect(under).not.toHaveLength(0))
    under[0]?.fail(new Error('no pins'))
    await first
    await vi.waitFor(() => expect(under).toHaveLength(2))
    // Said at once, whatever is waited for.
    await slow.apply(broken)
    under[1]?.succeed()
    await second
    expect(said).toEqual([
      expect.stringMatching(/keeps the previous one: Error: no pins$/),
      expect.stringMatching(REFUSED),
    ])
    const again = slow.apply(third())
    await vi.waitFor(() => expect(under).toHaveLength(3))
    under[2]?.succeed()
    await again
    expect(said.slice(2)).toEqual([MENDED])
  })
})
