/**
 * Finds servers that lead back to the gateway they stand behind: gateways tell each other through which of their
 * servers they speak, and which are behind them.
 */
import { type Capabilities, ParleyError } from 'parley-mcp'
import { type Introduction, isObject } from 'parley-mcp/engine'

/** Among the experimental capabilities, which every version has, and which pass through whoever stands between. */
export const VIA_KEY = 'dev.parley/via'
/** Whoever names more has been through a circle that nobody noticed. */
const MOST = 256

/** Ids of servers of gateways. */
export function viaIn(capabilities: Capabilities | undefined): readonly string[] {
  const experimental = (capabilities as Record<string, unknown> | undefined)?.['experimental']
  const via = isObject(experimental) ? experimental[VIA_KEY] : undefined
  const ids = isObject(via) ? via['ids'] : undefined
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : []
}

/** The same introduction, with more ids than it had. */
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

/** Made once of each, because whoever introduces itself has to give the same object as long as nothing has changed. */
const bare = new WeakMap<Introduction, Introduction>()

/** What somebody who declares that is told: ids are for gateways, and nobody else has a use for them. */
export function toldTo(declared: Capabilities | undefined, introduction: Introduction): Introduction {
  if (viaIn(declared).length > 0 || viaIn(introduction.capabilities).length === 0) return introduction
  const made = bare.get(introduction) ?? withoutVia(introduction)
  bare.set(introduction, made)
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

/** Throws when somebody who comes through `via` would be led back to where they came from. */
export function refuseLoop(via: readonly string[], isOwn: (id: string) => boolean): void {
  if (via.length === 0 || (via.length <= MOST && !via.some(isOwn))) return
  throw new ParleyError('refusal_custom', {
    message:
      'This address leads back to the gateway that asks: a server of it is the gateway itself, or has the gateway among its servers. Remove that server from the configuration',
  })
}
