/** The texts of `parley gateway`: its addresses, its servers, and commands to try. */
import { eraOf, newestVersion, versions } from 'parley-mcp'
import { isLoopback } from 'parley-mcp/node'
import type { GatewaySettings } from '../../config/index.ts'
import { withoutName } from '../../supervision/index.ts'
import type { Upstream } from '../../upstream/index.ts'
import { isBoundToFolder } from '../arguments/invocation.ts'
import { oneLine } from '../terminal/text.ts'
import type { SampleCall } from './sample-calls.ts'

export function addresses(url: string, upstreams: readonly Upstream[]): string {
  const width = Math.max('all servers'.length, ...upstreams.map(({ name }) => name.length))
  const line = (name: string, path: string): string => `  ${name.padEnd(width)}  ${url}${path}`
  const each =
    upstreams.length === 0
      ? ['  no server is configured; the file is read again when it changes']
      : upstreams.map(({ name }) => line(name, `/servers/${name}/mcp`))
  return `${[`Parley listens on ${url}`, line('all servers', '/mcp'), ...each, ''].join('\n')}\n`
}

const EVERY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::'])

/** The address for a user on this machine, with a host name that the gateway allows. */
export function usableUrl(url: string, { host, allowedHosts }: Pick<GatewaySettings, 'host' | 'allowedHosts'>): string {
  if (isLoopback(host)) return url
  const { port } = new URL(url)
  // If the gateway listens on all addresses, a loopback name works on this machine.
  const local = EVERY_ADDRESS.has(host)
    ? allowedHosts?.find((each) => isLoopback(each.replace(/:\d+$/, '')))
    : undefined
  const name = local ?? allowedHosts?.[0]
  const isAny = allowedHosts === undefined || allowedHosts.includes('any') || allowedHosts.includes('*')
  if (!isAny && name !== undefined) return `http://${/:\d+$/.test(name) ? name : `${name}:${port}`}`
  if (host === '0.0.0.0') return `http://127.0.0.1:${port}`
  return host === '::' ? `http://[::1]:${port}` : url
}

/** One line about a server. `inLog`: the user sees the log, which explains a failure. */
export function serverLine(upstream: Upstream, inLog = false): string {
  const { name, introduction, version, era, config } = upstream
  if (introduction === undefined || version === undefined) {
    if (config.lazy) return `  ${name}: its first client starts it\n`
    return `  ${name}: not reached${inLog ? '; the log above says why' : `: ${failureReason(upstream)}`}\n`
  }
  const offers = ['tools', 'resources', 'prompts', 'completions', 'logging', 'tasks'].filter((each) =>
    Object.hasOwn(introduction.capabilities, each),
  )
  return `  ${name}: ${oneLine(introduction.info.name)} ${oneLine(introduction.info.version)} speaks ${version} (${era}), offers ${offers.join(', ') || 'nothing'}\n`
}

export function stillStarting(name: string): string {
  return `  ${name}: still starting\n`
}

const LONGEST_REASON = 160

/** The reason in one line, with an error line of the program. The log has more. */
function failureReason(upstream: Pick<Upstream, 'name' | 'status'>): string {
  const { lastError, lastStderr } = upstream.status()
  const reason = oneLine(
    lastError === undefined ? 'no reason known' : withoutName(upstream.name, lastError),
    LONGEST_REASON,
  )
  const complaint = lastStderr.find((line) => /error/i.test(line)) ?? lastStderr.findLast((line) => line.trim() !== '')
  return complaint === undefined ? reason : `${reason}: ${oneLine(complaint, LONGEST_REASON)}`
}

/** `command`: how to call this program here. The calls use a client of the other era than the server. */
export function commandsToTry(url: string, command: string, calls: readonly SampleCall[]): string {
  const called = calls.map(({ name, args, era }) => {
    const version = era === 'stateless' ? versions.find((each) => eraOf(each) === 'handshake') : newestVersion
    return `  ${command} call ${url}/mcp ${name} '${JSON.stringify(args)}' --version ${version}`
  })
  const where = isBoundToFolder(command) ? 'another terminal, in this folder' : 'another terminal'
  const page = `Open ${url} in a browser for the configuration of your MCP client.`
  return `${['', `Try it in ${where}:`, `  ${command} inspect ${url}/mcp`, ...called, `  curl ${url}/readyz`, '', page, 'Ctrl-C ends it.'].join('\n')}\n`
}
