/** Passes requests to upgrade a connection to the mount at their path. */
import type { IncomingMessage } from 'node:http'
import type { HttpSite, Mount } from '../../serve/index.ts'
import type { Upgrades } from './listener.ts'
import { asksForWebSocket, pathOf, refuseUpgrade, type UpgradeListener, upgradeObjection } from './upgrade.ts'

type Upgradable = Mount & { readonly onUpgrade: UpgradeListener }

function isUpgradable(mount: Mount | undefined): mount is Upgradable {
  return mount !== undefined && 'onUpgrade' in mount
}

/** Most paths that a refusal names. */
const MAX_NAMED = 10

/**
 * `other` handles upgrades without a mount. If the site has no WebSocket mount, such a request is answered as usual.
 */
export function siteUpgrades(site: HttpSite, other: UpgradeListener | undefined): Upgrades {
  const mountFor = (request: IncomingMessage): Upgradable | undefined => {
    const mount = site.at(pathOf(request))
    return isUpgradable(mount) ? mount : undefined
  }
  const taken = (): readonly string[] => site.pathsOf(isUpgradable)
  const refuse: UpgradeListener = (request, socket) => {
    socket.on('error', () => {})
    const objection = upgradeObjection(request, site.guard)
    if (objection !== undefined) return refuseUpgrade(socket, objection)
    const named = taken().slice(0, MAX_NAMED).join(', ')
    refuseUpgrade(socket, [
      404,
      'invalid_request',
      hinted(site, request, `Nothing is served at this path; WebSockets are taken at ${named}`),
    ])
  }
  return {
    takesUpgrade: (request) => {
      if (mountFor(request) !== undefined) return asksForWebSocket(request)
      return other !== undefined || (asksForWebSocket(request) && taken().length > 0)
    },
    onUpgrade: (request, socket, head) => (mountFor(request)?.onUpgrade ?? other ?? refuse)(request, socket, head),
  }
}

function hinted(site: HttpSite, request: IncomingMessage, message: string): string {
  const { method = 'GET', headers } = request
  try {
    const asked = { method, path: pathOf(request), header: (name: string) => headers[name.toLowerCase()]?.toString() }
    return site.settings.hint?.(asked, { status: 404, message })?.message ?? message
  } catch (error) {
    site.report(error)
    return message
  }
}
