/** The page for people who open the gateway's address in a browser. It loads no scripts and no other resources. */
import { endpointsOf } from './endpoints.ts'
import type { ServerState } from './readiness.ts'

/** The page may load only its own style. */
export const LANDING_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
} as const

const STYLE = `
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 90rem; margin: 2rem auto; padding: 0 1rem; color: #222; background: #fff }
.wide { overflow-x: auto } table { border-collapse: collapse; width: 100% } th, td { text-align: left; vertical-align: top; padding: .4rem .8rem .4rem 0; border-bottom: 1px solid #ddd }
.state, td code { white-space: nowrap } small { display: block; white-space: normal; min-width: 16rem; max-width: 32rem; overflow-wrap: anywhere }
code, pre { font: .9rem/1.4 ui-monospace, monospace } pre { background: #f4f4f4; padding: .8rem; overflow-x: auto }
.down { color: #a00 } .up { color: #060 }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #181818 } pre { background: #262626 } .down { color: #f88 } .up { color: #8d8 } }
`

const PUBLISHED: readonly string[] = ['npx', '-y', 'parley-gateway']

/**
 * `url`: the gateway's address without a path, as the reader knows it. `program`: the words that start this program on
 * the reader's machine.
 */
export function landingPage(
  url: string,
  servers: readonly ServerState[],
  [command, ...args]: readonly string[] = PUBLISHED,
): string {
  const count = servers.length === 1 ? '1 server' : `${servers.length} servers`
  const up = servers.filter(({ ready }) => ready).length
  const rows = [allRow(url, up, servers.length), ...servers.map((server) => serverRow(url, server))]
  const example = { mcpServers: { parley: { url: `${url}${endpointsOf().path}` } } }
  const bridged = { mcpServers: { parley: { command, args: [...args, 'bridge', `${url}${endpointsOf().path}`] } } }
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Parley gateway</title><style>${STYLE}</style></head>
<body>
<h1>Parley gateway</h1>
<p>${count} behind one address, for MCP clients of every version.</p>
<div class="wide">
<table>
<thead><tr><th>Server</th><th>State</th><th>Streamable HTTP</th><th>HTTP+SSE</th><th>WebSocket</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
</div>
<h2>Configuration of a client</h2>
<p>For clients that speak HTTP:</p>
<pre>${escaped(JSON.stringify(example, undefined, 2))}</pre>
<p>For clients that start programs:</p>
<pre>${escaped(JSON.stringify(bridged, undefined, 2))}</pre>
<p>To use one server alone, with its own names, take its address from the table.</p>
<p><a href="/healthz">/healthz</a> · <a href="/readyz">/readyz</a> · <a href="/metrics">/metrics</a></p>
</body>
</html>
`
}

function allRow(url: string, up: number, count: number): string {
  return `<tr><td><strong>all of them</strong></td>${stateCell(up === count, `${up} of ${count} up`)}${endpointCells(url)}</tr>`
}

function serverRow(url: string, { name, state, ready, detail }: ServerState): string {
  return `<tr><td>${escaped(name)}</td>${stateCell(ready, state, detail)}${endpointCells(url, name)}</tr>`
}

function stateCell(isUp: boolean, state: string, detail?: string): string {
  const why = detail === undefined ? '' : `<small>${escaped(detail)}</small>`
  return `<td class="state"><span class="${isUp ? 'up' : 'down'}">${escaped(state)}</span>${why}</td>`
}

function endpointCells(url: string, name?: string): string {
  const { path, sse, webSocket } = endpointsOf(name)
  const addresses = [`${url}${path}`, `${url}${sse.path}`, `${url.replace(/^http/, 'ws')}${webSocket}`]
  return addresses.map((address) => `<td><code>${escaped(address)}</code></td>`).join('')
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string)
}
