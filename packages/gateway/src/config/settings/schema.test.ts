/** The published schema is the one the tables make, and accepts what the reader accepts. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { ACCEPTED } from '../accepted.fixtures.ts'
import { configSchema } from '../index.ts'
import { GATEWAY_FIELDS, RESTART_FIELDS, SERVER_FIELDS, TOOL_FIELDS } from './fields.ts'
import { ROOT_FIELDS } from './root.ts'

type Json = Readonly<Record<string, unknown>>

const WIDTH = 120

/** As the formatter writes it: objects on several lines, lists of plain values on one if they fit. */
function printed(value: unknown, indent = '', before = 0): string {
  const deeper = `${indent}  `
  if (Array.isArray(value)) {
    const line = JSON.stringify(value).replaceAll('","', '", "')
    if (!line.includes('{"') && indent.length + before + line.length + 1 <= WIDTH) return line
    return `[\n${value.map((item) => deeper + printed(item, deeper)).join(',\n')}\n${indent}]`
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).map(
    ([key, item]) => `${deeper}${JSON.stringify(key)}: ${printed(item, deeper, key.length + 4)}`,
  )
  return entries.length === 0 ? '{}' : `{\n${entries.join(',\n')}\n${indent}}`
}

const validate = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allErrors: true }).compile(
  configSchema(),
)

function accepts(value: unknown): boolean {
  return validate(value)
}

describe('the schema for editors', () => {
  it('is published as the tables make it; renew it with `vitest -u`', async () => {
    await expect(`${printed(configSchema())}\n`).toMatchFileSnapshot('../../../schema/config.json')
  })

  for (const { title, value } of ACCEPTED) {
    it(`accepts ${title}`, () => {
      accepts(value)
      expect(validate.errors).toBeNull()
    })
  }

  it('has every key of every table, with a description, examples that fit, and the default', () => {
    const root = configSchema() as { properties: Json; $defs: { server: { properties: Json } } }
    const propertiesOf = (schema: unknown): Json => (schema as { properties: Json }).properties
    const inServer = root.$defs.server.properties
    const [, restart] = (inServer['restart'] as { anyOf: readonly unknown[] }).anyOf
    const tables = [
      [ROOT_FIELDS, root.properties, '/properties'],
      [GATEWAY_FIELDS, propertiesOf(root.properties['gateway']), '/properties/gateway/properties'],
      [SERVER_FIELDS, inServer, '/$defs/server/properties'],
      [TOOL_FIELDS, propertiesOf(inServer['tools']), '/$defs/server/properties/tools/properties'],
      [RESTART_FIELDS, propertiesOf(restart), '/$defs/server/properties/restart/anyOf/1/properties'],
    ] as const
    const parts = new Ajv2020({ strict: false, validateSchema: false }).addSchema(configSchema(), 'config')
    for (const [table, properties, pointer] of tables) {
      for (const [key, { description, default: otherwise, examples }] of Object.entries(table)) {
        const property = properties[key] as Json
        expect([key, property['description'], property['default']]).toEqual([key, description, otherwise])
        expect(description.length, key).toBeGreaterThan(10)
        expect(examples.length, key).toBeGreaterThan(0)
        const one = parts.compile({ $ref: `config#${pointer}/${key}` })
        for (const example of [...examples, ...(otherwise === undefined ? [] : [otherwise])])
          expect([key, one(example)]).toEqual([key, true])
      }
      for (const [key, property] of Object.entries(properties))
        expect([key, typeof (property as Json)['description']]).toEqual([key, 'string'])
    }
  })

  it('refuses what the reader refuses by shape', () => {
    const one = (server: unknown) => ({ mcpServers: { one: server } })
    const refused = [
      [],
      {},
      { mcpServers: {}, servers: {} },
      { mcpServers: { 'my server': { command: 'x' } } },
      { mcpServers: {}, unknown: 1 },
      { mcpServers: {}, gateway: { port: 70_000 } },
      { mcpServers: {}, gateway: { store: 'disk' } },
      { mcpServers: {}, gateway: { sessionIdle: 0 } },
      { mcpServers: {}, gateway: { sessionIdle: 'soon' } },
      one({}),
      one({ command: 'x', url: 'http://a.example' }),
      one({ command: 'x', args: [1] }),
      one({ command: 'x', comand: 'y' }),
      one({ command: 'x', timeout: '30 s' }),
      one({ command: 'x', maxRounds: 0 }),
      one({ command: 'x', restart: { policy: 'never' } }),
      one({ command: 'x', versions: ['2025-06-17'] }),
      one({ url: 'example.com' }),
      one({ url: 'http://a.example', headers: { 'A:': 'b' } }),
    ]
    for (const value of refused) expect([JSON.stringify(value), accepts(value)]).toEqual([JSON.stringify(value), false])
  })
})
