/**
 * How the two sides of a meeting get to the gateway: what its configuration says, and how a client that starts its
 * server starts `parley bridge`.
 */
import { fileURLToPath, pathToFileURL } from 'node:url'
import { COMMAND } from '../../scripts/gateway.js'

/**
 * Where a proxy in front of the gateway would say who the client is. Whose sessions are whose depends on it where
 * clients have none (8.2).
 */
export const WHO = 'x-interop-client'

/** `servers`: by name. */
export const configOf = (servers) => ({ mcpServers: servers, gateway: { principalHeader: WHO, log: 'warning' } })

/** How Node is told to write down the standard input and output of the program that follows. */
export function recorded(file, self) {
  const recorder = pathToFileURL(fileURLToPath(new URL('record-stdio.js', import.meta.url)))
  recorder.search = String(new URLSearchParams({ frames: file, self }))
  return ['--import', recorder.href]
}

/**
 * `parley bridge` in the three ways it may be told where to go: by a name in the configuration, or by what the
 * configuration says of it.
 */
export function bridgeTo({ name, isConfigured }, { url, command, args }, config, frames) {
  const told = isConfigured
    ? ['--config', config, '--server', name]
    : url === undefined
      ? ['--', command, ...args]
      : [url]
  return { command: process.execPath, args: [...recorded(frames, 'ours'), COMMAND, 'bridge', ...told] }
}
