/** Which roots a server gets when it was told to ask, and which for its other questions. */
import type { Body, Inbound, Session } from 'parley-mcp/engine'
import { type FakeClock, fakeClock, flush } from 'parley-mcp/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { ConversationRoots } from './roots.ts'

const rootsAt = (uri: string): Body => ({ roots: [{ uri }] })
const ONE = rootsAt('file:///one')

let clock: FakeClock
let roots: ConversationRoots
let told: string[]
let session: Session
beforeEach(() => {
  clock = fakeClock()
  roots = new ConversationRoots()
  told = []
  session = { clock, transport: 'stdio', notify: (method: string) => told.push(method) > 0 } as never
})

const request = (): Inbound => ({ onCancel: () => () => {} }) as never
/** `within`: it came with the answer to a request, as it can over HTTP. */
const question = (within?: boolean): Inbound => ({ within, afterAnswer: (run: () => void) => run() }) as never

/** A change in progress, and its outcome. */
async function changing(own: Inbound): Promise<{ outcome: boolean | undefined }> {
  const change: { outcome: boolean | undefined } = { outcome: undefined }
  void roots.change(ONE, session, own, true).then((asked) => {
    change.outcome = asked
  })
  await flush()
  return change
}

describe('roots that a client has just named for a request', () => {
  it('answer the next question, whichever request it seems to be about', async () => {
    const change = await changing(request())
    expect(told).toEqual(['notifications/roots/list_changed'])
    expect(roots.takeFresh(question(), request())).toEqual(ONE)
    await flush()
    expect(change.outcome).toBe(true)
  })

  it('do not answer a question that names another request', async () => {
    const own = request()
    const change = await changing(own)
    expect(roots.takeFresh(question(true), request())).toBeUndefined()
    expect(roots.withoutClient(question(true), true)).toEqual(ONE)
    await flush()
    expect(change.outcome).toBeUndefined()
    await clock.advance(1000)
    await flush()
    expect(change.outcome).toBe(false)
    expect(roots.takeFresh(question(true), own)).toEqual(ONE)
  })

  it('answer no other request when the server asks too late, and none when their request is over', async () => {
    const own = request()
    await changing(own)
    await clock.advance(1000)
    expect(roots.takeFresh(question(), request())).toBeUndefined()
    roots.end(request())
    expect(roots.takeFresh(question(), own)).toEqual(ONE)
    await changing(own)
    await clock.advance(1000)
    roots.end(own)
    expect(roots.takeFresh(question(), own)).toBeUndefined()
  })
})
