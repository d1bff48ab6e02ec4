/**
 * Finds servers that lead back to their own gateway. Gateways declare to each other the ids of their servers on the
 * way, and of the servers behind them.
 */
import { type Capabilities, ParleyError } from 'parley-mcp'
import { type Introduction, isObject } from 'parley-mcp/engine'

/** A key in the experimental capabilities. Every version has them, and other proxies pass them on. */
export const VIA_KEY = 'dev.parley/via'
/** More ids than this mean a loop that was not detected. */
const MAX_IDS = 256

/** The ids of the servers on the way. */
export function viaIn(capabilities: Capabilities | undefined): readonly string[] {
  const experimental = (capabilities as Record<string, unknown> | undefined)?.['experimental']
  const via = isObject(experimental) ? experimental[VIA_KEY] : undefined
  const ids = isObject(via) ? via['ids'] : undefined
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : []
}

/** Adds ids to the introduction. */
export function withVia(introduction: Introduction, ids: readonly string[]): Introduction {
  const { capabilities } = introduction
  const experimental = (capabilities as Record<string, unknown>)['experimental']
  const via = { ids: [...new Set([...viaIn(capabilities), ...ids])] }
  return {
    ...introduction,
    capabilities: {
      ...capabilities,
      experimental: { ...(isObject(experimental) ? experimental : undefined), [VIA_KEY]: via },
    } as Capabilities,
  }
}

/** An introduction must be the same object as long as nothing has changed, so each copy is made once. */
const withoutIds = new WeakMap<Introduction, Introduction>()

/** The introduction for a peer with these capabilities. Only gateways get the ids. */
export function toldTo(declared: Capabilities | undefined, introduction: Introduction): Introduction {
  if (viaIn(declared).length > 0 || viaIn(introduction.capabilities).length === 0) return introduction
  const made = withoutIds.get(introduction) ?? withoutVia(introduction)
  withoutIds.set(introduction, made)
  return made
}

function withoutVia(introduction: Introduction): Introduction {
  const { experimental, ...capabilities } = introduction.capabilities as Record<string, unknown>
  const { [VIA_KEY]: _, ...others } = experimental as Record<string, unknown>
  return {
    ...introduction,
    capabilities: { ...capabilities, ...(Object.keys(others).length > 0 && { experimental: others }) } as Capabilities,
  }
}

/** Throws when a request that came through `via` would be led back to where it came from. */
export function refuseLoop(via: readonly string[], isOwn: (id: string) => boolean): void {
  if (via.length === 0 || (via.length <= MAX_IDS && !via.some(isOwn))) return
  throw new ParleyError('refusal_custom', {
    message:
      'This address leads back to the gateway that asks: a server of it is the gateway itself, or has the gateway among its servers. Remove that server from the configuration',
  })
}
