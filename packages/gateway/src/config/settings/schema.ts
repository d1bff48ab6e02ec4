/** The JSON Schema of the configuration for editors, made from the tables that read the configuration. */
import type { JsonObject } from 'parley-mcp'
import { root } from './root.ts'
import { server } from './server.ts'

export function configSchema(): JsonObject {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Configuration of the Parley gateway',
    description: `The servers behind the gateway, and the settings of the gateway itself. Texts may contain environment variables: \${NAME} or \${NAME:-default}.`,
    ...root.schema,
    oneOf: [{ required: ['mcpServers'] }, { required: ['servers'] }],
    $defs: {
      server: {
        description: 'A program to start ("command"), or a server that is already running ("url").',
        ...server.schema,
        oneOf: [{ required: ['command'] }, { required: ['url'] }],
      },
      placeholder: {
        description: 'A text with an environment variable.',
        type: 'string',
        pattern: '\\$\\{',
      },
    },
  }
}
