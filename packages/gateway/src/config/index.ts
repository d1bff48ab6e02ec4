/** The gateway's configuration: read, checked, compared and watched. */
export { serverDefaults, settingsDefaults } from './defaults.ts'
export { type ConfigDiff, changedSettings, diffConfig, isSameConfig } from './diff.ts'
export type { ConfigFormat } from './document.ts'
export { hasLocalUser } from './local-user.ts'
export { distance, nearest } from './nearest.ts'
export { type Override, type ParseOptions, parseConfig, type Reading } from './parse.ts'
export { ConfigError, type ConfigProblem, describeProblem } from './problem.ts'
export { type ReadOptions, readConfig } from './read.ts'
export { configSchema } from './schema.ts'
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
