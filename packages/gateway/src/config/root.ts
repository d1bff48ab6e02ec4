/** The keys at the top of the file. */

import { GATEWAY_FIELDS } from './fields.ts'
import { ROOT_FOREIGN } from './foreign.ts'
import { field, group } from './group.ts'
import { RULES } from './rules.ts'
import { text } from './scalars.ts'
import { servers } from './server.ts'

const EXAMPLE = { files: { command: 'npx', args: ['some-server'] }, search: { url: 'https://search.example/mcp' } }

export const ROOT_FIELDS = {
  mcpServers: field('The servers behind the gateway, by name.', servers, { examples: [EXAMPLE] }),
  servers: field('The same as `mcpServers`, as some editors write it.', servers, { examples: [EXAMPLE] }),
  gateway: field('How the gateway itself runs.', group(GATEWAY_FIELDS), { examples: [{ port: 4000 }] }),
  $schema: field('Where editors find the description of this file.', text(RULES.any), {
    examples: ['./node_modules/parley-gateway/schema/config.json'],
  }),
}

export const root = group(ROOT_FIELDS, ROOT_FOREIGN)
