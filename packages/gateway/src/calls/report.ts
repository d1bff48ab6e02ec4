/** What translation has lost of a call, for clients that ask for it (X2). */
import type { Loss } from 'parley-mcp'
import { type Answer, type Body, bodyText, type Inbound, isObject, Serialised, withMetadata } from 'parley-mcp/engine'

/** The key in `_meta` by which a client asks what translation has lost, and under which it is told. */
export const REPORT_KEY = 'dev.parley/translation'

/** Text that goes on as it is need not be remembered. */
export const ONCE = { kept: false } as const

export function asksForReport({ params }: Inbound): boolean {
  const meta = params['_meta']
  return isObject(meta) && meta[REPORT_KEY] !== undefined
}

/** The result in the client's version, with what it lost on its way. */
export function reported(inbound: Inbound, losses: readonly Loss[], result: Body): Answer {
  if (!asksForReport(inbound)) return result
  const lost: Loss[] = []
  const written = inbound.written(result, (loss) => lost.push(loss))
  return new Serialised(bodyText(withReport(written, [...losses, ...lost]), 'internal_error'), ONCE)
}

/** Nothing was translated; a gateway behind this one may have more to report. */
export function reportedWhole(inbound: Inbound, losses: readonly Loss[], result: Body): Body {
  if (!asksForReport(inbound)) return result
  return losses.length === 0 && Array.isArray(reportIn(result)) ? result : withReport(result, losses)
}

function withReport(result: Body, losses: readonly Loss[]): Body {
  const before = reportIn(result)
  return withMetadata(result, { [REPORT_KEY]: [...(Array.isArray(before) ? before : []), ...losses.map(shownLoss)] })
}

function reportIn({ _meta: meta }: Body): unknown {
  return isObject(meta) ? meta[REPORT_KEY] : undefined
}

function shownLoss({ rule, path, severity, detail }: Loss): Body {
  return { rule, path, loss: severity, detail }
}
