/**
 * Values that have no text, in every position of every message of a client: one clear answer each, never the runtime's
 * own words.
 */
import { expect, it } from 'vitest'
import { everyVersion } from '../../src/testing.ts'
import { everything } from './everything.ts'
import { badAnswers } from './odd-values.ts'

everyVersion((version) => {
  it(`M1 odd values in a client's messages are answered (${version})`, async () => {
    expect(await badAnswers(everything(), version)).toEqual([])
  })
})
