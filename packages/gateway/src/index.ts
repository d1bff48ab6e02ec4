/** `parley-gateway`: the gateway as a library. */
export { ConfigError, type GatewayConfig, parseConfig, readConfig, type ServerConfig } from './config/index.ts'
export { Gateway, type GatewayOptions } from './gateway/index.ts'
export { type GatewayLog, jsonLog, silentLog, textLog } from './log/index.ts'
