/** Keys of other programs in the same file. */
import type { ForeignKeys } from '../shapes/group.ts'

const CONFIRMATION = 'The client decides whether its user confirms a call.'
const LABEL = 'It only describes the server for people.'

export const SERVER_FOREIGN_KEYS: ForeignKeys = {
  ignored: {
    alwaysAllow: CONFIRMATION,
    autoApprove: CONFIRMATION,
    trust: CONFIRMATION,
    disabledTools: 'To hide tools, list them in "tools": { "deny": […] }.',
    excludeTools: 'To hide tools, list them in "tools": { "deny": […] }.',
    enabledTools: 'To show some tools only, list them in "tools": { "allow": […] }.',
    includeTools: 'To show some tools only, list them in "tools": { "allow": […] }.',
    envFile: 'Put the variables into "env", or set them in the environment of the gateway.',
    auth: 'Put what the server asks for into "headers".',
    oauth: 'Put what the server asks for into "headers".',
    name: LABEL,
    description: LABEL,
    icon: LABEL,
    version: LABEL,
    gallery: LABEL,
    metadata: LABEL,
    note: LABEL,
    dev: 'It is for the development of the server in an editor.',
    watchPaths: 'It is for the development of the server in an editor.',
    sandbox: 'The gateway starts programs as they are.',
    sandboxEnabled: 'The gateway starts programs as they are.',
  },
  renamed: {
    enabled: 'disabled: true',
    serverUrl: 'url',
    httpUrl: 'url',
    endpoint: 'url',
    baseUrl: 'url',
    cmd: 'command',
    arguments: 'args',
    environment: 'env',
    workingDirectory: 'cwd',
    workingDir: 'cwd',
    transportType: 'transport',
    protocolVersion: 'versions',
    requestTimeout: 'timeout',
    startupTimeout: 'initialiseTimeout',
  },
}

export const ROOT_FOREIGN_KEYS: ForeignKeys = {
  ignored: {
    inputs: `The gateway cannot ask a user. Use environment variables: \${NAME}.`,
    globalShortcut: 'It is for a desktop application.',
    preferences: 'It is for a desktop application.',
    sandbox: 'The gateway starts programs as they are.',
  },
  renamed: {
    context_servers: 'mcpServers',
    mcp: 'mcpServers',
    mcp_servers: 'mcpServers',
    settings: 'gateway',
    options: 'gateway',
  },
  free: 'x-',
}
