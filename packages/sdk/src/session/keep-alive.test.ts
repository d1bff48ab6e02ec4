import { beforeEach, describe, expect, it } from 'vitest'
import { type FakeClock, fakeClock } from '../testing/clock.ts'
import { Silence } from './keep-alive.ts'

let clock: FakeClock
let heardAt: number
let silent: number[]
let silence: Silence
beforeEach(() => {
  clock = fakeClock(0)
  heardAt = 0
  silent = []
  silence = new Silence({
    clock,
    every: 30_000,
    lastHeard: () => heardAt,
    onSilent: () => void silent.push(clock.now()),
  })
})

describe('G a peer that is not pinged', () => {
  it('is silent at once when the request had all the time that a peer may be silent', async () => {
    await clock.advance(40_000)
    silence.gaveUp(5000)
    expect(silent).toEqual([40_000])
    expect(clock.pending).toBe(0)
  })

  it('is silent later when the request had less time', async () => {
    await clock.advance(5000)
    silence.gaveUp(1000)
    await clock.advance(60_000)
    expect(silent).toEqual([31_000])
  })

  it('is not silent when it was heard, before the request was given up or after', async () => {
    await clock.advance(5000)
    heardAt = 2000
    silence.gaveUp(1000)
    expect(clock.pending).toBe(0)
    silence.gaveUp(3000)
    heardAt = 6000
    await clock.advance(60_000)
    expect(silent).toEqual([])
  })

  it('has one time for several requests, which begins with the first since it was heard', async () => {
    await clock.advance(10_000)
    silence.gaveUp(1000)
    silence.gaveUp(2000)
    heardAt = 11_000
    await clock.advance(10_000)
    silence.gaveUp(12_000)
    silence.gaveUp(13_000)
    expect(clock.pending).toBe(1)
    await clock.advance(60_000)
    expect(silent).toEqual([42_000])
  })

  it('is not looked at any more when the session has ended', async () => {
    await clock.advance(10_000)
    silence.gaveUp(1000)
    silence.stop()
    await clock.advance(60_000)
    expect([silent, clock.pending]).toEqual([[], 0])
  })
})
