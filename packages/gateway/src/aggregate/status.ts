/** How the servers are, as a resource that any client can read: `parley://status`. */
import type { Body } from 'parley-mcp/engine'
import type { Upstream } from '../upstream/index.ts'

export const STATUS_URI = 'parley://status'

export const STATUS_RESOURCE = {
  uri: STATUS_URI,
  name: 'parley-status',
  title: 'Status of the servers behind this gateway',
  description: 'State, version and last error of each server, as JSON',
  mimeType: 'application/json',
} as const

export function statusContents(upstreams: readonly Upstream[]): Body {
  const servers = upstreams.map((upstream) => {
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
      // The rest of it may quote what the process wrote, which is for whoever runs the gateway.
      ...(lastError === undefined ? {} : { lastError: lastError.split('\n')[0]?.slice(0, 300) }),
      ...(nextAttemptAt === undefined ? {} : { nextAttemptAt: new Date(nextAttemptAt).toISOString() }),
    }
  })
  return {
    contents: [{ uri: STATUS_URI, mimeType: 'application/json', text: JSON.stringify({ servers }, undefined, 2) }],
  }
}
