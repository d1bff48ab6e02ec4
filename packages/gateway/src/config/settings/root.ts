/** The top-level keys of the file. */

import { field, group } from '../shapes/group.ts'
import { text } from '../shapes/scalars.ts'
import { RULES } from '../shapes/text-rules.ts'
import { GATEWAY_FIELDS } from './fields.ts'
import { ROOT_FOREIGN_KEYS } from './foreign-keys.ts'
import { servers } from './server.ts'

const EXAMPLE = { files: { command: 'npx', args: ['some-server'] }, search: { url: 'https://search.example/mcp' } }

export const ROOT_FIELDS = {
  mcpServers: field('The servers behind the gateway, by name.', servers, { examples: [EXAMPLE] }),
  servers: field('The same as `mcpServers`, as some editors write it.', servers, { examples: [EXAMPLE] }),
  gateway: field('Settings of the gateway itself.', group(GATEWAY_FIELDS), { examples: [{ port: 4000 }] }),
  $schema: field('The JSON Schema of this file, for editors.', text(RULES.any), {
    examples: ['./node_modules/parley-gateway/schema/config.json'],
  }),
}

export const root = group(ROOT_FIELDS, ROOT_FOREIGN_KEYS)
