import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { allGone, isAlive, MARK, mark, marked, until } from '../../../../sdk/test/wire/processes.ts'
import { type Leader, Watcher } from './watcher.ts'

const SDK = fileURLToPath(new URL('../../../../sdk/src/', import.meta.url))
const PARENT = fileURLToPath(new URL('./watched-parent.fixtures.ts', import.meta.url))
/** Beyond the largest process id there is: nobody is harmed by a signal to it. */
const NOBODY = 90_000_000
/** HUP, INT and TERM, as the kernel shows a set of signals. */
const DEAF_TO = (1n << 0n) | (1n << 1n) | (1n << 14n)

const ended = (pid: number | undefined): Promise<boolean> =>
  until(
    () => isAlive(Number(pid)),
    (alive) => !alive,
  )

describe('a process that supervises a stubborn server', () => {
  interface Who {
    readonly server: number
    readonly watcher: number | undefined
  }

  let dir: string
  let current: string
  let parent: ChildProcessByStdio<Writable, Readable, null>

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'parley-watcher-'))
    const resolveId = (source: string): string | undefined => {
      const [, entry = 'index'] = /^parley-mcp(?:\/(\w+))?$/.exec(source) ?? []
      return source.startsWith('parley-mcp') ? `${SDK}${entry}.ts` : undefined
    }
    await build({
      input: { parent: PARENT },
      platform: 'node',
      external: /^(node:|zod|@valibot|ws$)/,
      plugins: [{ name: 'sdk-sources', resolveId }],
      output: { dir, format: 'esm', entryFileNames: '[name].mjs' },
      logLevel: 'silent',
    })
  })
  afterAll(() => rm(dir, { recursive: true, force: true }))
  afterEach(() => {
    parent.kill('SIGKILL')
    // What a test has found wrong must not stay behind, too.
    for (const pid of marked(current)) process.kill(pid, 'SIGKILL')
  })

  async function ask(line: string): Promise<Who> {
    parent.stdin.write(`${line}\n`)
    const [answer] = (await once(parent.stdout, 'data')) as [string]
    return JSON.parse(answer) as Who
  }

  /** The parent with its server, and what that has started. */
  async function begin(): Promise<Who & { watcher: number }> {
    current = mark()
    parent = spawn(process.execPath, [join(dir, 'parent.mjs')], {
      env: { ...process.env, [MARK]: current },
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true,
    })
    parent.stdout.setEncoding('utf8')
    const { server, watcher } = await ask('who')
    await until(
      () => marked(current).length,
      (count) => count === 3,
    )
    expect([server, watcher].map((pid) => isAlive(Number(pid)))).toEqual([true, true])
    return { server, watcher: Number(watcher) }
  }

  it('G: leaves neither server nor watcher when it is killed with -9', async () => {
    const { watcher } = await begin()
    parent.kill('SIGKILL')
    await allGone(current)
    await ended(watcher)
  })

  it('G: nor when all of its process group are, and the watcher is told to end before it has done its work', async () => {
    const { watcher } = await begin()
    await until(
      () => BigInt(`0x${/^SigIgn:\s*(\w+)$/m.exec(readFileSync(`/proc/${watcher}/status`, 'utf8'))?.[1]}`) & DEAF_TO,
      (ignored) => ignored === DEAF_TO,
    ).catch(() => expect.fail('the watcher listens to signals'))
    process.kill(-Number(parent.pid), 'SIGKILL')
    for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM']) process.kill(watcher, signal)
    await allGone(current)
    await ended(watcher)
  })

  it('G: nor when the watcher was killed before: another has taken its place', async () => {
    const { watcher } = await begin()
    process.kill(watcher, 'SIGKILL')
    await ended(watcher)
    let next = await ask('who')
    while (next.watcher === watcher) next = await ask('who')
    expect(isAlive(Number(next.watcher))).toBe(true)
    parent.kill('SIGKILL')
    await allGone(current)
    await ended(next.watcher)
  })

  it('G: nor when it stops its server and lives on', async () => {
    const { watcher } = await begin()
    expect(await ask('stop')).not.toHaveProperty('watcher')
    await ended(watcher)
    expect(marked(current)).toEqual([parent.pid])
  })

  it.each(['exit', 'leave'])(
    'G: nor when it ends by itself (%s), from which the watcher does not keep it',
    async (way) => {
      const { watcher } = await begin()
      parent.stdin.write(`${way}\n`)
      expect((await once(parent, 'exit'))[0]).toBe(0)
      await allGone(current)
      await ended(watcher)
    },
  )

  it('G: the watcher gets none of the secrets and streams of whom it watches', async () => {
    const { watcher } = await begin()
    const names = readFileSync(`/proc/${watcher}/environ`, 'utf8')
      .split('\0')
      .map((entry) => entry.split('=')[0])
    expect(names).toEqual(['PATH', ''])
    parent.kill('SIGKILL')
    // Not before the last who holds it has let go of it.
    await once(parent.stdout, 'close')
    await ended(watcher)
  })
})

describe('the watcher', () => {
  interface Scene {
    readonly watcher: Watcher
    readonly warnings: string[]
    /** Kept at the first warning. */
    readonly warned: Promise<void>
    /** Resolves with what ends the leader. */
    lead(pid: number): Promise<() => void>
  }

  const endings: (() => void)[] = []
  afterEach(() => {
    for (const end of endings.splice(0)) end()
  })

  function scene(watcher: Watcher): Scene {
    const warnings: string[] = []
    let warn = (): void => {}
    const warned = new Promise<void>((resolve) => {
      warn = resolve
    })
    const lead = async (pid: number): Promise<() => void> => {
      let end = (): void => {}
      const gone = new Promise<void>((resolve) => {
        end = resolve
      })
      endings.push(end)
      const start = async (): Promise<Leader> => ({ pid, gone })
      await watcher.watch(start, (message) => {
        warnings.push(message)
        warn()
      })
      return end
    }
    return { watcher, warnings, warned, lead }
  }

  it('G: runs once for all, from the first that is started to the end of the last', async () => {
    const { watcher, lead, warnings } = scene(new Watcher())
    expect(watcher.pid).toBe(undefined)
    const endFirst = await lead(NOBODY)
    const { pid } = watcher
    expect(isAlive(Number(pid))).toBe(true)
    const endSecond = await lead(NOBODY + 1)
    endFirst()
    await Promise.resolve()
    expect(watcher.pid).toBe(pid)
    endSecond()
    await until(
      () => watcher.pid,
      (left) => left === undefined,
    )
    await ended(pid)
    expect(warnings).toEqual([])
  })

  it('G: does not stay for one that could not be started', async () => {
    const watcher = new Watcher()
    let pid: number | undefined
    const start = async (): Promise<Leader> => {
      pid = watcher.pid
      throw new Error('no such command')
    }
    await expect(watcher.watch(start, () => {})).rejects.toThrow('no such command')
    expect([pid, watcher.pid]).toEqual([expect.any(Number), undefined])
    await ended(pid)
  })

  it('G: takes no number for another: who ends late does not take away who got the same one', async () => {
    const { watcher, lead } = scene(new Watcher())
    const endOld = await lead(NOBODY)
    const endNew = await lead(NOBODY)
    endOld()
    await Promise.resolve()
    expect(watcher.pid).toEqual(expect.any(Number))
    endNew()
    await until(
      () => watcher.pid,
      (left) => left === undefined,
    )
  })

  it('G: is warned of once when there is no shell, and everything else goes on', async () => {
    const { watcher, lead, warned, warnings } = scene(new Watcher({ shell: 'no-such-shell' }))
    await lead(NOBODY)
    await warned
    await lead(NOBODY + 1)
    await until(
      () => watcher.pid,
      (pid) => pid === undefined,
    )
    expect(warnings).toEqual([expect.stringMatching(/may keep running.*no-such-shell/)])
  })

  it('G: is not started for ever when it keeps ending', async () => {
    const { watcher, lead, warned, warnings } = scene(new Watcher({ shell: 'false' }))
    await lead(NOBODY)
    await warned
    expect(watcher.pid).toBe(undefined)
    expect(warnings).toEqual([expect.stringMatching(/may keep running.*"false" keeps ending, last with 1/)])
  })

  it('G: is replaced when it does not read, before what it is told heaps up', async () => {
    const { watcher, lead, warnings } = scene(new Watcher())
    await lead(NOBODY)
    const stuck = Number(watcher.pid)
    process.kill(stuck, 'SIGSTOP')
    for (let told = 1; watcher.pid === stuck; told++) {
      expect(told).toBeLessThan(100_000)
      const end = await lead(NOBODY + told)
      end()
      if (told % 1000 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    expect(isAlive(stuck)).toBe(false)
    expect(isAlive(Number(watcher.pid))).toBe(true)
    expect(warnings).toEqual([])
  })

  it('G: is not there on Windows, where there are no groups', async () => {
    const { watcher, lead, warnings } = scene(new Watcher({ platform: 'win32' }))
    await lead(NOBODY)
    expect(watcher.pid).toBe(undefined)
    expect(warnings).toEqual([])
  })
})
