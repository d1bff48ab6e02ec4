/**
 * Whether all requests without a principal are of one person: nobody else can reach the gateway, and it asks nobody who
 * they are.
 */
import { isLoopback } from './cycle.ts'
import type { GatewaySettings } from './types.ts'

/** Other names in `allowedHosts` mean a proxy in front, which lets in people from elsewhere. */
export function hasLocalUser({
  host,
  allowedHosts,
  principalHeader,
}: Pick<GatewaySettings, 'host' | 'allowedHosts' | 'principalHeader'>): boolean {
  return principalHeader === undefined && isLoopback(host) && (allowedHosts ?? []).every(isLoopback)
}
