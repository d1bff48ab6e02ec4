import { ParleyError } from 'parley-mcp'
import { MemoryBudgets, type SessionEvent } from 'parley-mcp/engine'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Metrics } from '../http/index.ts'
import type { GatewayLog } from '../log/index.ts'
import { GatewayCounters } from './counters.ts'

const lossOf = (rule: string, severity: 'E' | 'w' | 'i', path = 'content[0]'): SessionEvent =>
  ({ type: 'loss', loss: { rule, severity, path, method: 'tools/call', detail: 'a link became text' } }) as SessionEvent

describe('X2 what translation loses in the gateway', () => {
  let said: string[]
  let metrics: Metrics
  let counters: GatewayCounters

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'] })
    said = []
    const at = (severity: string) => (message: string) => void said.push(`${severity}: ${message}`)
    const log: GatewayLog = { debug: at('debug'), info: at('info'), warning: at('warning'), error: at('error') }
    metrics = new Metrics()
    counters = new GatewayCounters(
      metrics,
      log,
      () => [],
      () => 0,
      new MemoryBudgets().total,
    )
  })
  afterEach(() => vi.useRealTimers())

  it('X2 is a warning with its rule and its place, and counted', () => {
    counters.count(lossOf('B-06', 'w'), 'notes')
    expect(said).toEqual([
      'warning: notes: tools/call lost something on its way: a link became text (B-06, content[0])',
    ])
    expect(metrics.text()).toContain('parley_translation_losses_total{server="notes",rule="B-06",severity="w"} 1\n')
  })

  it('X2 is said once a minute and counted each time', () => {
    for (let n = 0; n < 3; n++) counters.count(lossOf('B-06', 'w'), 'notes')
    expect(said).toHaveLength(1)
    vi.setSystemTime(Date.now() + 60_000)
    counters.count(lossOf('B-06', 'w'), 'notes')
    expect(said).toHaveLength(2)
    expect(metrics.text()).toContain('severity="w"} 4\n')
  })

  it('X2 is no warning when it is cosmetic', () => {
    counters.count(lossOf('B-05', 'i', ''), 'notes')
    expect(said).toEqual(['debug: notes: tools/call lost something on its way: a link became text (B-05)'])
  })

  it('X2 does not fill the memory, however many different ones there are', () => {
    for (let n = 0; n < 2500; n++) counters.count(lossOf('B-06', 'w', `content[${n}]`), 'notes')
    expect(said).toHaveLength(2500)
    expect(metrics.text()).toContain('severity="w"} 2500\n')
  })

  it('X2 counts errors of a server as its own, and says the same once a minute and not as a failure', () => {
    const refused = new ParleyError('internal_error', { message: 'no disk', code: -32603 })
    for (let n = 0; n < 600; n++)
      counters.count({ type: 'error', during: 'tools/call', error: refused } as SessionEvent, 'notes')
    for (let n = 0; n < 600; n++) {
      const other = new ParleyError('internal_error', { message: `no disk ${n}`, code: -n })
      counters.count({ type: 'error', during: 'tools/call', error: other } as SessionEvent, 'notes')
    }
    expect(said).toEqual(['info: notes: tools/call: no disk'])
    expect(metrics.text()).toContain('parley_server_errors_total{server="notes",code="-32603"} 600\n')
    expect(metrics.text()).toContain('parley_server_errors_total{server="notes",code="other"} 600\n')
    expect(metrics.text()).not.toContain('parley_internal_errors_total{')
  })

  it('V2 counts what else sessions tell: versions, messages without a place, failures', () => {
    counters.count({ type: 'negotiated', version: '2025-06-18' } as SessionEvent, 'notes')
    counters.count({ type: 'ignored', what: 'answer', detail: 'nobody asked' } as SessionEvent, 'notes')
    counters.count({ type: 'error', during: 'tools/list', error: new Error('broken') } as SessionEvent, 'notes')
    expect(said).toEqual(['debug: notes: ignored answer: nobody asked', 'error: notes: tools/list: broken'])
    const text = metrics.text()
    expect(text).toContain('parley_versions_negotiated_total{server="notes",version="2025-06-18"} 1\n')
    expect(text).toContain('parley_messages_ignored_total{server="notes",what="answer"} 1\n')
    expect(text).toContain('parley_internal_errors_total{server="notes"} 1\n')
  })
})
