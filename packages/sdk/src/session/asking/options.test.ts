import { describe, expect, it } from 'vitest'
import { createServer } from '../../server.ts'
import { type AskingOptions, askingSettings } from './options.ts'

describe('how long and how often calls may wait for answers', () => {
  it('has defaults', () => {
    const defaults = {
      ttl: 600_000,
      maxLife: 3_600_000,
      maxRounds: 32,
      maxParked: 1000,
      maxParkedEach: 250,
      keepOutcome: 60_000,
      gather: 0,
    }
    expect([askingSettings(), askingSettings({}), askingSettings({ ttl: undefined } as never)]).toEqual([
      defaults,
      defaults,
      defaults,
    ])
  })

  it('gives whole milliseconds', () => {
    const settings = askingSettings({
      ttl: '30s',
      maxLife: '2h',
      maxRounds: 1,
      maxParked: 5,
      maxParkedEach: 250,
      keepOutcome: 0,
      gather: '1s',
    })
    expect(settings).toEqual({
      ttl: 30_000,
      maxLife: 7_200_000,
      maxRounds: 1,
      maxParked: 5,
      maxParkedEach: 250,
      keepOutcome: 0,
      gather: 1000,
    })
    expect(askingSettings({ ttl: 1.6 }).ttl).toBe(2)
  })

  it.each<[AskingOptions, string]>([
    [{ ttl: 0 }, 'asking.ttl must be a finite time above 0, not 0'],
    [{ ttl: Number.POSITIVE_INFINITY }, 'asking.ttl must be a finite time above 0, not Infinity'],
    [{ ttl: 'soon' as never }, 'Not a duration: "soon"'],
    [{ ttl: -1 }, 'Not a duration: -1'],
    [{ maxLife: '0h' }, 'asking.maxLife must be a finite time above 0, not 0h'],
    [{ keepOutcome: Number.POSITIVE_INFINITY }, 'asking.keepOutcome must be a finite time, not Infinity'],
    [{ maxRounds: 0 }, 'asking.maxRounds must be a whole number above 0, not 0'],
    [{ maxRounds: 1.5 }, 'asking.maxRounds must be a whole number above 0, not 1.5'],
    [{ maxParked: Number.POSITIVE_INFINITY }, 'asking.maxParked must be a whole number above 0, not Infinity'],
    [{ maxParked: '9' as never }, 'asking.maxParked must be a whole number above 0, not 9'],
  ])('refuses %j', (options, message) => {
    const settings = () => askingSettings(options)
    expect(settings).toThrow(RangeError)
    expect(settings).toThrow(message)
  })
})

it('a bad key is found when the server is made, not by its first client', () => {
  expect(() => askingSettings({ key: 'short' })).toThrow(RangeError)
  expect(() => createServer({ name: 'test', version: '1.0.0' }, { asking: { key: [] } })).toThrow(RangeError)
})
