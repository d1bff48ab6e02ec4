import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Metrics } from './index.ts'

describe('metrics', () => {
  it('are shown in the text format of Prometheus', () => {
    const metrics = new Metrics()
    const calls = metrics.counter('parley_requests_total', 'Requests of clients', ['server', 'outcome'])
    metrics.gauge('parley_sessions', 'Sessions of clients').set(3)
    calls.add({ server: 'files', outcome: 'ok' })
    calls.add({ server: 'files', outcome: 'ok' }, 2)
    calls.add({ server: 'files', outcome: 'error' })
    expect(metrics.text()).toBe(
      [
        '# HELP parley_requests_total Requests of clients',
        '# TYPE parley_requests_total counter',
        'parley_requests_total{server="files",outcome="ok"} 3',
        'parley_requests_total{server="files",outcome="error"} 1',
        '# HELP parley_sessions Sessions of clients',
        '# TYPE parley_sessions gauge',
        'parley_sessions 3',
        '',
      ].join('\n'),
    )
  })

  it('begin at nothing where there are no labels', () => {
    const metrics = new Metrics()
    metrics.counter('quiet_total', 'Nothing yet')
    expect(metrics.text()).toContain('\nquiet_total 0\n')
  })

  it('keep whatever a label says on its own line, and it can be read back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 50 }), (value) => {
        const metrics = new Metrics()
        metrics.counter('odd_total', 'a \\ and\na line', ['what']).add({ what: value })
        const lines = metrics.text().split('\n')
        expect(lines[0]).toBe('# HELP odd_total a \\\\ and\\na line')
        expect(lines.length).toBe(4)
        const shown = /^odd_total\{what="((?:[^"\\\n]|\\["\\n])*)"\} 1$/.exec(lines[2] as string)?.[1] as string
        expect(shown.replace(/\\(["\\n])/g, (_, sign) => (sign === 'n' ? '\n' : sign))).toBe(value)
      }),
    )
  })

  it('count what is too many together, and lose nothing', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 100 }),
        fc.integer({ min: 1, max: 10 }),
        (names, maxSeries) => {
          const metrics = new Metrics({ maxSeries })
          const counter = metrics.counter('many_total', 'Many', ['name'])
          for (const name of names) counter.add({ name: `n${name}` })
          const series = metrics
            .text()
            .split('\n')
            .filter((line) => line.startsWith('many_total'))
          expect(series.length).toBeLessThanOrEqual(maxSeries + 1)
          expect(series.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)).toBe(names.length)
          expect(series.some((line) => line.includes('"other"'))).toBe(new Set(names).size > maxSeries)
        },
      ),
    )
  })

  it('cut values that are too long', () => {
    const metrics = new Metrics()
    metrics.counter('long_total', 'Long', ['name']).add({ name: 'x'.repeat(5000) })
    expect(metrics.text().length).toBeLessThan(400)
  })

  it('measure anew whenever somebody reads', () => {
    const metrics = new Metrics()
    const states = new Map([['a', 1]])
    metrics.gauge('up', 'Whether it is', ['server'], (gauge) => {
      for (const [server, value] of states) gauge.set(value, { server })
    })
    expect(metrics.text()).toContain('up{server="a"} 1')
    states.delete('a')
    states.set('b', 0)
    expect(metrics.text()).toMatch(/gauge\nup\{server="b"\} 0\n$/)
  })

  it('forget what is removed, and show numbers that are none', () => {
    const metrics = new Metrics()
    const gauge = metrics.gauge('level', 'Level', ['of'])
    gauge.set(Number.POSITIVE_INFINITY, { of: 'a' })
    gauge.set(Number.NaN, { of: 'b' })
    gauge.set(1, { of: 'c' })
    gauge.remove({ of: 'c' })
    expect(metrics.text()).toMatch(/level\{of="a"\} \+Inf\nlevel\{of="b"\} NaN\n$/)
  })

  it('are the same for the same name, and refuse what is wrong', () => {
    const metrics = new Metrics()
    metrics.counter('same_total', 'Same', ['a']).add({ a: '1' })
    metrics.counter('same_total', 'Same', ['a']).add({ a: '1' })
    expect(metrics.text()).toContain('same_total{a="1"} 2')
    expect(() => metrics.gauge('same_total', 'Same', ['a'])).toThrow('already there')
    expect(() => metrics.counter('same_total', 'Same', ['b'])).toThrow('already there')
    expect(() => metrics.counter('same', 'Same')).toThrow('ends in _total')
    expect(() => metrics.gauge('no name', '')).toThrow('Not the name of a metric')
    expect(() => metrics.gauge('name', '', ['__x'])).toThrow('Not the name of a label')
    expect(() => metrics.counter('same_total', 'Same', ['a']).add({ b: '1' })).toThrow('has no label "b"')
    expect(() => metrics.counter('same_total', 'Same', ['a']).add({ a: '1' }, -1)).toThrow('only go up')
  })
})
