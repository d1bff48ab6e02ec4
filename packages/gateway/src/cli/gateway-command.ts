/** `parley gateway`: checks what was written and starts the gateway. */
import { existsSync } from 'node:fs'
import { usageError } from './failure.ts'
import type { GatewayStart } from './serve/starts.ts'

const USUAL = 'parley.json'

export async function gatewayCommand(given: Partial<GatewayStart>, program: string): Promise<void> {
  const start = gatewayStart(given, program)
  const { startGateway } = await import('./serve/gateway.ts')
  await startGateway(start, program)
}

export function gatewayStart(
  { config, port, host }: Partial<GatewayStart>,
  program: string,
  exists: (file: string) => boolean = existsSync,
): GatewayStart {
  if (config === undefined && !exists(USUAL)) {
    throw usageError(
      `There is no ${USUAL} in this folder`,
      `name a configuration: ${program} gateway --config FILE, with { "mcpServers": { "files": { "command": "…" } } }`,
    )
  }
  if (host === '') throw usageError('--host is empty', 'leave it out to listen on 127.0.0.1')
  return { config: config ?? USUAL, port, host }
}
