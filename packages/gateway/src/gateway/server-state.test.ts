/** O: when a server is ready. */
import { expect, it } from 'vitest'
import type { Upstream } from '../upstream/index.ts'
import { serverState } from './server-state.ts'

const REACHED = { introduction: {}, version: '2025-06-18' }

it.each([
  ['running', REACHED, undefined, true, '2025-06-18'],
  ['running', REACHED, 'exited once', true, '2025-06-18'],
  ['idle', {}, undefined, true, undefined],
  ['idle', {}, 'not found', false, 'not found'],
  ['idle', { introduction: {} }, 'exited once', true, undefined],
  ['starting', {}, undefined, false, 'starting: it has not answered yet'],
  ['starting', {}, 'not found', false, 'not found'],
  ['starting', { introduction: {} }, undefined, true, undefined],
  ['starting', { introduction: {} }, 'exited once', true, undefined],
  ['restarting', REACHED, 'exited', false, 'exited'],
  ['down', REACHED, 'exited', false, 'exited'],
  ['stopped', REACHED, undefined, false, undefined],
])('%s, known as %j, last error %s: ready is %s', (state, known, lastError, ready, detail) => {
  const upstream = { name: 'a', ...known, status: () => ({ state, lastError }) } as unknown as Upstream
  expect(serverState(upstream)).toEqual({ name: 'a', state, ready, ...(detail === undefined ? {} : { detail }) })
})
