/** The stage that answers the resource `parley://status`: the state of the servers, for any client. */
import type { Body, Stage } from 'parley-mcp/engine'
import type { Upstream } from '../../upstream/index.ts'
import type { Call } from '../call.ts'
import { allServers } from './route.ts'

export const STATUS_URI = 'parley://status'

export const STATUS_RESOURCE = {
  uri: STATUS_URI,
  name: 'parley-status',
  title: 'Status of the servers behind this gateway',
  description: 'State, version and last error of each server, as JSON',
  mimeType: 'application/json',
} as const

export const readStatus: Stage<Call> = (call, next) =>
  call.params['uri'] === STATUS_URI ? statusContents(allServers(call).servers) : next(call)

function statusContents(upstreams: Iterable<Upstream>): Body {
  const servers = Array.from(upstreams, (upstream) => {
    const { state, sessions, restarts, lastError, since, nextAttemptAt } = upstream.status()
    return {
      name: upstream.name,
      state,
      since: new Date(since).toISOString(),
      ...(upstream.introduction && {
        server: { name: upstream.introduction.info.name, version: upstream.introduction.info.version },
      }),
      ...(upstream.version && { protocolVersion: upstream.version }),
      ...(upstream.era && { era: upstream.era }),
      sessions,
      restarts,
      ...upstream.bulkhead.stats(),
      // Later lines may quote the output of the process, which is for the operator only.
      ...(lastError === undefined ? {} : { lastError: lastError.split('\n')[0]?.slice(0, 300) }),
      ...(nextAttemptAt === undefined ? {} : { nextAttemptAt: new Date(nextAttemptAt).toISOString() }),
    }
  })
  return {
    contents: [{ uri: STATUS_URI, mimeType: 'application/json', text: JSON.stringify({ servers }, undefined, 2) }],
  }
}
