/** Reports what translation has lost in a call, to clients that ask for it (X2). */
import type { Loss } from 'parley-mcp'
import { type Answer, type Body, bodyText, type Inbound, isObject, Serialised, withMetadata } from 'parley-mcp/engine'

/** The key in `_meta` with which a client asks for the losses. The answer has them under the same key. */
export const REPORT_KEY = 'dev.parley/translation'

/** The SDK need not keep the text of an answer that is sent once. */
export const ONCE = { kept: false } as const

export function asksForReport({ params }: Inbound): boolean {
  const meta = params['_meta']
  return isObject(meta) && meta[REPORT_KEY] !== undefined
}

/** The result in the client's version, with the losses. */
export function reported(inbound: Inbound, losses: readonly Loss[], result: Body): Answer {
  if (!asksForReport(inbound)) return result
  const lost: Loss[] = []
  const written = inbound.written(result, (loss) => lost.push(loss))
  return new Serialised(bodyText(withReport(written, [...losses, ...lost]), 'internal_error'), ONCE)
}

/** The result without translation. A gateway behind this one may have reported losses. */
export function reportedUnchanged(inbound: Inbound, losses: readonly Loss[], result: Body): Body {
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
