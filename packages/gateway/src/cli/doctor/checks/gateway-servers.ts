/**
 * Checks the servers behind a Parley gateway, as the gateway reports them. The gateway works without them, but the user
 * may need them.
 */
import type { Client } from 'parley-mcp/client'
import { gatewayInfo } from '../../../config/index.ts'
import { count, oneLine } from '../../terminal/text.ts'
import type { SubjectReport } from '../report/subject-report.ts'

interface GatewayServer {
  readonly name: string
  readonly state: string
  readonly lastError?: string
}

const UNUSABLE: readonly string[] = ['restarting', 'down']

export async function gatewayServerChecks(report: SubjectReport, client: Client, signal: AbortSignal): Promise<void> {
  if (client.server.name !== gatewayInfo.name) return
  const servers = await serversBehind(client, signal)
  if (servers === undefined) return
  const broken = servers.filter(({ state }) => UNUSABLE.includes(state))
  if (broken.length === 0)
    report.ok(
      'servers behind it',
      servers.length === 0 ? 'none is configured' : `${count(servers.length, 'server')}, none is down`,
    )
  const starting = servers.filter(({ state }) => state === 'starting')
  if (starting.length > 0) {
    const names = starting.map(({ name }) => oneLine(name, 70)).join(', ')
    report.warning('servers behind it', `still starting: ${names}`, 'ask again in a while')
  }
  for (const { name, state, lastError } of broken) {
    report.warning(
      'servers behind it',
      `${oneLine(name, 70)} is ${state}: ${oneLine(lastError ?? 'no reason known', 160)}`,
      `where the gateway runs: npx -y parley-gateway doctor --config FILE --server ${oneLine(name, 70)}`,
    )
  }
}

/** Undefined if the server has no such resource. */
async function serversBehind(client: Client, signal: AbortSignal): Promise<readonly GatewayServer[] | undefined> {
  try {
    const [first] = (await client.read('parley://status', { signal })).contents
    const { servers } = JSON.parse(String((first as { text?: unknown } | undefined)?.text)) as { servers?: unknown }
    return Array.isArray(servers) ? servers.filter(isGatewayServer) : undefined
  } catch {
    signal.throwIfAborted()
    return undefined
  }
}

function isGatewayServer(value: unknown): value is GatewayServer {
  const { name, state, lastError } = (value ?? {}) as Partial<Record<keyof GatewayServer, unknown>>
  return (
    typeof name === 'string' && typeof state === 'string' && (lastError === undefined || typeof lastError === 'string')
  )
}
