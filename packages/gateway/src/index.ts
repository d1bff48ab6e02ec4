/** `parley-gateway`: the gateway as a library. */
/// <reference types="node" preserve="true" />
export { AuditFileError, type Verdict, type VerifyOptions, verifyAuditFile } from './audit/index.ts'
export { ConfigError, type GatewayConfig, parseConfig, readConfig, type ServerConfig } from './config/index.ts'
export { Gateway, type GatewayOptions } from './gateway/index.ts'
export { type GatewayLog, jsonLog, silentLog, textLog } from './log/index.ts'
