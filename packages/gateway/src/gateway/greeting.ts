/** What `parley gateway` prints: where it listens, what each server speaks, and what to try. */
import type { Upstream } from '../upstream/index.ts'

export function greeting(url: string, upstreams: readonly Upstream[]): string {
  const [first] = upstreams
  const lines = [
    `Parley listens on ${url}`,
    `  all servers   ${url}/mcp`,
    ...upstreams.map(({ name }) => `  ${name.padEnd(12)}  ${url}/servers/${name}/mcp`),
    '',
    'Try it:',
    `  parley inspect ${url}/mcp`,
    ...(first === undefined ? [] : [`  parley call ${url}/servers/${first.name}/mcp TOOL '{}'`]),
    `  curl ${url}/readyz`,
    '',
  ]
  return `${lines.join('\n')}\n`
}

/** One line when a server was reached, or was not. */
export function serverLine(upstream: Upstream): string {
  const { name, introduction, version, era, config } = upstream
  if (introduction === undefined || version === undefined) {
    if (config.lazy) return `  ${name}: is started by its first client\n`
    return `  ${name}: not reached: ${(upstream.status().lastError ?? 'no reason known').split('\n')[0]}\n`
  }
  const offers = ['tools', 'resources', 'prompts', 'completions', 'logging', 'tasks'].filter((each) => Object.hasOwn(introduction.capabilities, each))
  return `  ${name}: ${introduction.info.name} ${introduction.info.version} speaks ${version} (${era === 'stateless' ? 'stateless' : 'handshake'}), offers ${offers.join(', ') || 'nothing'}\n`
}
