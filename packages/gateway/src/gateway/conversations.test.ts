/** C3: which conversation a client gets, as `/readyz` tells it. */
import { expect, it } from 'vitest'
import type { Upstream } from '../upstream/index.ts'
import { conversationsOf } from './conversations.ts'

it.each([
  ['a stateless server', { era: 'stateless' }, 'session', 'none'],
  ['this machine', { hasLocalUser: true }, 'session', 'local-user'],
  ['this machine, a policy', { hasLocalUser: true, session: 'principal' }, 'session', 'local-user'],
  ['principals', { principalHeader: 'x-user' }, 'session', 'principal'],
  ['users that are not known', {}, 'session', 'request'],
  ['users that are not known, a policy', { session: 'principal' }, 'session', 'request'],
  ['a server that gives no session id', { isSessionless: true }, 'session', 'shared'],
  ['shared', { session: 'shared', hasLocalUser: true }, 'shared', 'shared'],
  ['request', { session: 'request', hasLocalUser: true }, 'session', 'request'],
  ['handle', { session: 'handle', principalHeader: 'x-user' }, 'session', 'handle'],
])('with %s', (_, facts, withSession, withoutSession) => {
  const {
    era = 'handshake',
    hasLocalUser = false,
    isSessionless = false,
    session,
    principalHeader,
  } = facts as Record<string, unknown>
  const upstream = {
    era,
    hasLocalUser,
    pool: { choice: { isSessionless } },
    config: { session },
  } as unknown as Upstream
  expect(conversationsOf(upstream, { principalHeader: principalHeader as string | undefined })).toEqual({
    withSession,
    withoutSession,
  })
})

it('is not known before the server was reached', () => {
  expect(conversationsOf({ config: {} } as unknown as Upstream, { principalHeader: undefined })).toBeUndefined()
})
