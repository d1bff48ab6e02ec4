/** The file is read from disk, and read again whenever it changed, however it was written. */
import { watch as watchFolder } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FakeClock, fakeClock } from 'parley-mcp/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  ConfigError,
  type ConfigWatch,
  type ParsedConfig,
  readConfig,
  type WatchOptions,
  watchConfig,
} from './index.ts'

let folder: string
let path: string
let clock: FakeClock
let watch: ConfigWatch | undefined
let told: (readonly string[] | ConfigError)[]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-config-'))
  path = join(folder, 'parley.json')
  clock = fakeClock()
  told = []
})

afterEach(async () => {
  watch?.close()
  watch = undefined
  await rm(folder, { recursive: true, force: true })
})

function text(...names: readonly string[]): string {
  return JSON.stringify({ mcpServers: Object.fromEntries(names.map((name) => [name, { command: 'x' }])) })
}

function tell(outcome: ParsedConfig | ConfigError): void {
  told.push(outcome instanceof ConfigError ? outcome : [...outcome.config.servers.keys()])
}

/** Begins with a server `a`, as the gateway does. */
async function begin(options: WatchOptions = {}): Promise<void> {
  await writeFile(path, text('a'))
  watch = watchConfig(path, tell, { clock, current: await readConfig(path), ...options })
}

/** Lets time pass until that many outcomes were told; fails if they never are. */
async function untilTold(count: number): Promise<void> {
  await vi.waitFor(
    async () => {
      await clock.advance(1000)
      expect(told).toHaveLength(count)
    },
    { timeout: 10_000, interval: 5 },
  )
}

/** Resolves when the system has told of the next change in the folder, to the watch as well. */
function nextEvent(): Promise<void> {
  return new Promise((resolve) => {
    const own = watchFolder(folder, () => {
      own.close()
      setTimeout(resolve, 0)
    })
  })
}

describe('readConfig', () => {
  it('reads JSON and YAML by their endings, with paths from their folder', async () => {
    await writeFile(path, '{"mcpServers":{"a":{"command":"./x"}}}')
    const yaml = join(folder, 'parley.yaml')
    await writeFile(yaml, 'mcpServers: { a: { command: ./x } }')
    const expected = { command: join(folder, 'x') }
    for (const file of [path, yaml])
      expect((await readConfig(file)).config.servers.get('a')?.target).toMatchObject(expected)
  })

  it('takes variables from the process unless told otherwise', async () => {
    await writeFile(path, JSON.stringify({ mcpServers: { a: { command: `\${PARLEY_TEST:-none}` } } }))
    const command = async (env?: Record<string, string>) =>
      (await readConfig(path, env === undefined ? {} : { env })).config.servers.get('a')?.target
    expect(await command()).toMatchObject({ command: 'none' })
    expect(await command({ PARLEY_TEST: 'given' })).toMatchObject({ command: 'given' })
  })

  it('a file that is missing, a folder, or no UTF-8 is a ConfigError as well', async () => {
    const message = (file: string) =>
      readConfig(file).then(
        () => 'read',
        (error: unknown) => (error instanceof ConfigError ? error.problems[0]?.message : error),
      )
    expect(await message(path)).toBe('There is no such file.')
    expect(await message(folder)).toBe('This is a folder.')
    await writeFile(path, Buffer.from('\uFEFF{}', 'utf16le'))
    expect(await message(path)).toBe('The file is in UTF-16.')
    await writeFile(path, Buffer.from([0x22, 0xff, 0x22]))
    expect(await message(path)).toBe('The file is not in UTF-8.')
    await writeFile(path, Buffer.alloc(4 * 1024 * 1024 + 1))
    expect(await message(path)).toBe('The file is larger than 4 MB.')
  })
})

describe('watchConfig', () => {
  it('G: tells of a file written in place, without waiting for the next look', async () => {
    await begin({ interval: 1_000_000_000 })
    await writeFile(path, text('a', 'b'))
    await untilTold(1)
    expect(told).toEqual([['a', 'b']])
  })

  it('G: tells of servers that are only in another order', async () => {
    await begin()
    await writeFile(path, text('a', 'b'))
    await untilTold(1)
    await writeFile(path, text('b', 'a'))
    await untilTold(2)
    expect(told).toEqual([
      ['a', 'b'],
      ['b', 'a'],
    ])
  })

  it('tells of a file put in its place, again and again', async () => {
    await begin({ interval: 1_000_000_000 })
    for (const [index, name] of ['b', 'c', 'd'].entries()) {
      await writeFile(join(folder, '.parley.json.tmp'), text(name))
      await rename(join(folder, '.parley.json.tmp'), path)
      await untilTold(index + 1)
    }
    expect(told).toEqual([['b'], ['c'], ['d']])
  })

  it('waits until the file is left alone, so that half a file is never read', async () => {
    await begin({ interval: 1_000_000_000, debounce: 200 })
    for (const content of [text('b').slice(0, 10), text('b')]) {
      const noticed = nextEvent()
      await writeFile(path, content)
      await noticed
      await clock.advance(199)
      // The next look, and the reading that is put off.
      expect(clock.pending).toBe(2)
    }
    await untilTold(1)
    expect(told).toEqual([['b']])
  })

  it('tells of mistakes, keeps watching, and tells when all is well again', async () => {
    await begin()
    await writeFile(path, '{')
    await untilTold(1)
    expect(told[0]).toBeInstanceOf(ConfigError)
    await writeFile(path, text('a'))
    await untilTold(2)
    expect(told[1]).toEqual(['a'])
  })

  it('tells once that the file vanished, and when it is back', async () => {
    await begin()
    await rm(path)
    await untilTold(1)
    expect((told[0] as ConfigError).problems[0]?.message).toBe('There is no such file.')
    await clock.advance(60_000)
    await writeFile(path, text('a'))
    await untilTold(2)
    expect(told[1]).toEqual(['a'])
  })

  it('says nothing of the same content, of other layout, and of other files', async () => {
    await begin()
    await writeFile(path, text('a'))
    await clock.advance(10_000)
    await writeFile(path, `// noted\n${text('a')}\n`)
    await writeFile(join(folder, 'other.json'), text('z'))
    await clock.advance(10_000)
    await writeFile(path, text('last'))
    await untilTold(1)
    expect(told).toEqual([['last']])
  })

  it('finds a change behind a link, of which the folder tells nothing', async () => {
    const elsewhere = join(folder, 'elsewhere')
    await mkdir(elsewhere)
    await writeFile(join(elsewhere, 'real.json'), text('a'))
    await symlink(join(elsewhere, 'real.json'), path)
    watch = watchConfig(path, tell, { clock, current: await readConfig(path) })
    await writeFile(join(elsewhere, 'real.json'), text('a', 'linked'))
    await untilTold(1)
    expect(told).toEqual([['a', 'linked']])
  })

  it('a change between reading and watching is not missed', async () => {
    await writeFile(path, text('a'))
    const current = await readConfig(path)
    await writeFile(path, text('b'))
    watch = watchConfig(path, tell, { clock, current })
    await untilTold(1)
    expect(told).toEqual([['b']])
  })

  it('a folder that does not exist yet is waited for', async () => {
    const late = join(folder, 'late', 'parley.json')
    watch = watchConfig(late, tell, { clock })
    await untilTold(1)
    expect(told[0]).toBeInstanceOf(ConfigError)
    await mkdir(join(folder, 'late'))
    await writeFile(late, text('a'))
    await untilTold(2)
    expect(told[1]).toEqual(['a'])
  })

  it('close leaves no timer and tells nothing more', async () => {
    await begin()
    await writeFile(path, text('b'))
    watch?.close()
    await clock.advance(10_000)
    expect(clock.pending).toBe(0)
    expect(told).toEqual([])
  })
})
