/**
 * The documents made from code are those that are committed; `npx vitest run packages/gateway/test/docs.test.ts -u`
 * renews them.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import * as config from '../src/config/index.ts'
import { Gateway } from '../src/gateway/index.ts'

const root = new URL('../../../', import.meta.url)
const document = (name: string): string => fileURLToPath(new URL(`docs/${name}`, root))
const { renderConfig } = await import(new URL('../scripts/render-config.mjs', import.meta.url).href)

describe('G docs/configuration.md', () => {
  const text: string = renderConfig(config)

  it('is made from the tables that read the configuration', async () => {
    await expect(text).toMatchFileSnapshot(document('configuration.md'))
  })

  it('has a line for every key, with what it means', () => {
    const { properties, $defs } = config.configSchema() as unknown as Record<'properties', Keys> & {
      $defs: { server: { properties: Keys } }
    }
    const keys = [
      ...Object.entries(properties),
      ...Object.entries($defs.server.properties),
      ...inner(properties['gateway']),
      ...inner($defs.server.properties['tools']),
    ]
    expect(keys.length).toBeGreaterThan(60)
    const missing = keys.filter(([key, { description, deprecated }]) => !lineFor(key, deprecated ? '' : description))
    expect(missing.map(([key]) => key)).toEqual([])
  })

  it('shows a configuration that is accepted', () => {
    const [, example = ''] = /```json\n([\s\S]*?)```/.exec(text) ?? []
    const { config: read, warnings } = config.parseConfig(example, {
      file: 'parley.json',
      env: { TOKEN: 'a', SEARCH_TOKEN: 'b' },
    })
    expect([...read.servers.keys()]).toEqual(['files', 'search'])
    expect(warnings).toEqual([])
  })

  interface Key {
    readonly description: string
    readonly deprecated?: boolean
    readonly properties?: Keys
  }
  type Keys = Readonly<Record<string, Key>>

  const inner = (key: Key | undefined): [string, Key][] => Object.entries(key?.properties ?? {})

  function lineFor(key: string, description: string): boolean {
    return text
      .split('\n')
      .some(
        (line) =>
          line.startsWith('|') && line.includes(`\`${key}\``) && line.includes(description.replaceAll('|', '\\|')),
      )
  }
})

describe('G docs/gateway.md', () => {
  const text = readFileSync(document('gateway.md'), 'utf8')

  it('names every metric, with its labels, and no other', () => {
    const { metrics } = new Gateway(
      config.parseConfig('{"mcpServers":{"one":{"command":"node"}}}', { file: 'parley.json', env: {} }).config,
    )
    const counted = [...metrics.text().matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name)
    const told = [...text.matchAll(/^\| (`parley_.*?) \|/gm)].flatMap(([, names = '']) =>
      [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name),
    )
    expect(counted.length).toBeGreaterThan(5)
    expect(told.sort()).toEqual(counted.sort())
  })

  it('has the defaults of the limits', () => {
    const { maxConcurrent, maxQueued, maxSessions, maxRounds, timeout, initialiseTimeout } = config.serverDefaults(
      'one',
      {
        kind: 'command',
        command: 'node',
        args: [],
        env: {},
        cwd: undefined,
      },
    )
    expect(text).toContain(`| \`maxConcurrent\` | ${maxConcurrent} |`)
    expect(text).toContain(`| \`maxQueued\` | ${maxQueued}; `)
    expect(text).toContain(`| \`maxSessions\` | ${maxSessions}; `)
    expect(text).toContain(`| \`maxRounds\` | ${maxRounds} |`)
    expect(text).toContain(`| \`timeout\` | ${timeout / 60_000} minutes |`)
    expect(text).toContain(`| \`initialiseTimeout\` | ${initialiseTimeout / 60_000} minute |`)
  })
})

describe('G configurations in the documents', () => {
  const files = ['README.md', 'docs/gateway.md', 'docs/cli.md', 'packages/gateway/README.md']
  const blocks = files.flatMap((file) => {
    const text = readFileSync(new URL(file, root), 'utf8')
    return [...text.matchAll(/```(jsonc?|ya?ml)\n([\s\S]*?)```/g)]
      .filter(([, , body = '']) => /"?(mcpServers|servers)"?:/.test(body))
      .map(([, language = '', body = ''], index): [string, 'json' | 'yaml', string] => [
        `${file} #${index + 1}`,
        language.startsWith('y') ? 'yaml' : 'json',
        body,
      ])
  })
  const env = { TOKEN: 'a', SEARCH_TOKEN: 'b' }

  it.each(blocks)('%s is accepted without a warning', (_, format, body) => {
    const { warnings, config: read } = config.parseConfig(body, { file: 'parley', format, env })
    expect(warnings).toEqual([])
    expect(read.servers.size).toBeGreaterThan(0)
  })

  it('are found', () => {
    expect(blocks.length).toBeGreaterThan(3)
  })
})
