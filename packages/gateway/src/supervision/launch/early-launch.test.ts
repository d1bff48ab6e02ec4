import type { ChildExit, ChildLink } from 'parley-mcp/node'
import { describe, expect, it } from 'vitest'
import { TestLink } from '../supervisor.fixtures.ts'
import { EarlyLaunch } from './early-launch.ts'

/** A process in memory: it is gone when it is closed, or when the test says so. */
class TestChild extends TestLink implements ChildLink {
  readonly pid = 1
  readonly gone: Promise<ChildExit>
  exit: () => void = () => {}

  constructor() {
    super()
    this.gone = new Promise((resolve) => {
      this.exit = () => resolve({ code: 0, signal: null, told: null })
    })
  }

  override close(): void {
    super.close()
    this.exit()
  }

  stderr(): string {
    return ''
  }

  symptoms(): undefined {
    return undefined
  }
}

async function earlyStart(failures: readonly (Error | undefined)[] = []) {
  const started: { child: TestChild; say: (text: string) => void }[] = []
  let starts = 0
  const early = await EarlyLaunch.start(async (say) => {
    const failure = failures[starts++]
    if (failure !== undefined) throw failure
    const child = new TestChild()
    started.push({ child, say })
    return child
  })
  const heard: string[] = []
  return { early, started, heard, launch: () => early.launch((text) => heard.push(text)), starts: () => starts }
}

describe('L2 a process that is started before it is needed', () => {
  it('is the first one that is launched, with what it wrote to standard error so far', async () => {
    const { started, heard, launch, starts } = await earlyStart()
    started[0]?.say('one\n')
    started[0]?.say('two\n')
    expect(await launch()).toBe(started[0]?.child)
    started[0]?.say('three\n')
    expect(heard.join('')).toBe('one\ntwo\nthree\n')
    expect(starts()).toBe(1)
    expect(await launch()).toBe(started[1]?.child)
    expect(starts()).toBe(2)
  })

  it('keeps the end of a long standard error', async () => {
    const { started, heard, launch } = await earlyStart()
    for (let line = 0; line < 20_000; line++) started[0]?.say(`line ${line}\n`)
    await launch()
    expect(heard.join('').length).toBeLessThanOrEqual(64 * 1024)
    expect(heard.join('').endsWith('line 19999\n')).toBe(true)
  })

  it('is started anew where it has ended before', async () => {
    const { started, heard, launch } = await earlyStart()
    started[0]?.say('cannot\n')
    started[0]?.child.exit()
    await started[0]?.child.gone
    expect(await launch()).toBe(started[1]?.child)
    expect(heard).toEqual([])
  })

  it('is started anew where it could not be started, so that the failure is told to whoever needs it', async () => {
    const { launch, starts } = await earlyStart([new Error('first'), new Error('second')])
    await expect(launch()).rejects.toThrow('second')
    expect(starts()).toBe(2)
  })

  it('is ended where nothing has needed it', async () => {
    const { early, started } = await earlyStart()
    await early.close()
    expect(started[0]?.child.closedHere).toBe(1)
  })

  it('is left alone at the end by all but whoever uses it', async () => {
    const { early, started, launch } = await earlyStart()
    await launch()
    await early.close()
    expect(started[0]?.child.closedHere).toBe(0)
  })
})
