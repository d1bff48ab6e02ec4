/** The gateway's configuration: read, checked, compared and watched. */
export { hasLocalUser } from './addresses.ts'
export { type ConfigDiff, changedSettings, diffConfig, isSameConfig } from './diff.ts'
export type { ConfigFormat } from './documents/document.ts'
export { gatewayInfo } from './gateway-info.ts'
export { distance, nearest } from './nearest.ts'
export { type Override, type ParsedConfig, type ParseOptions, parseConfig } from './parse.ts'
export { ConfigError, type ConfigProblem, describeProblem } from './problem.ts'
export { type ReadOptions, readConfig } from './read.ts'
export { serverDefaults, settingsDefaults } from './settings/defaults.ts'
export { configSchema } from './settings/schema.ts'
export type {
  CommandTarget,
  GatewayConfig,
  GatewaySettings,
  MemorySettings,
  PinMode,
  RateLimit,
  RemoteTarget,
  RemoteTransport,
  RestartPolicy,
  RestartSettings,
  ServerConfig,
  SessionPolicy,
  ToolSettings,
} from './types.ts'
export { type ConfigWatch, type WatchOptions, watchConfig } from './watch.ts'
