/** The defaults of all settings, also for servers that come from no file. */

import { defaultsOf } from '../shapes/group.ts'
import type { GatewaySettings, RestartSettings, ServerConfig, ToolSettings } from '../types.ts'
import { GATEWAY_FIELDS, RESTART_FIELDS, SERVER_FIELDS, TOOL_FIELDS } from './fields.ts'

export const restartDefaults: RestartSettings = defaultsOf(RESTART_FIELDS)
export const toolDefaults: ToolSettings = defaultsOf(TOOL_FIELDS)
export const settingsDefaults: GatewaySettings = defaultsOf(GATEWAY_FIELDS)

/** The configuration of a server with only a target. */
export function serverDefaults(name: string, target: ServerConfig['target']): ServerConfig {
  const {
    versions,
    dialect,
    session,
    urlMode,
    lazy,
    idleStop,
    timeout,
    initialiseTimeout,
    maxConcurrent,
    maxQueued,
    maxSessions,
    maxRounds,
    maxMessageSize = settingsDefaults.maxMessageSize,
    rateLimit,
    cache,
    poll,
  } = defaultsOf(SERVER_FIELDS)
  return {
    name,
    target,
    versions,
    dialect,
    session,
    urlMode,
    restart: restartDefaults,
    lazy,
    idleStop,
    timeout,
    initialiseTimeout,
    maxConcurrent,
    maxQueued,
    maxSessions,
    maxRounds,
    maxMessageSize,
    rateLimit,
    tools: toolDefaults,
    cache,
    poll,
  }
}
