/** Repairs a request that a server has refused, if possible, and sends it again (D-59). */
import { fromWire, ParleyError, type WireError } from '../../../../errors/index.ts'
import type { SessionCore } from '../../../core.ts'
import type { Pending } from '../../../outgoing/pending.ts'
import type { RequestHost } from '../../era.ts'
import { refusedBy } from './refusal.ts'

/** True when the request is repeated or settled. */
export function mend(
  core: SessionCore,
  host: RequestHost,
  pending: Pending,
  error: WireError,
  version: string,
): boolean {
  const refused = refusedBy(error, version)
  if (refused === undefined) return false
  if (refused === 'version') {
    pending.refusal = fromWire(error)
    host.end(
      new ParleyError('session_lost', {
        message: `The server no longer speaks protocol version ${version}`,
        cause: pending.refusal,
      }),
    )
    return true
  }
  if (pending.repeated) return false
  if (refused === 'headers') return mendHeaders(core, host, pending, error)
  pending.repeated = true
  host.hold(pending)
  host.again(pending, pending.extra, false)
  return true
}

/**
 * The headers of the tool are out of date. Without an endpoint that reads them again, the same headers would be sent.
 */
function mendHeaders(core: SessionCore, host: RequestHost, pending: Pending, error: WireError): boolean {
  const { endpoint, link } = core
  const name = pending.params?.['name']
  if (
    pending.method !== 'tools/call' ||
    typeof name !== 'string' ||
    link.mirrors !== true ||
    endpoint.headersRefused === undefined
  )
    return false
  pending.repeated = true
  host.hold(pending)
  learn(() => endpoint.headersRefused?.(name)).then(
    () => host.again(pending, pending.extra, false),
    (thrown) => {
      core.reportError(thrown, `learning the headers of ${name.slice(0, 80)}`)
      host.fail(pending, fromWire(error))
    },
  )
  return true
}

async function learn(refresh: () => void | Promise<void>): Promise<void> {
  await refresh()
}
