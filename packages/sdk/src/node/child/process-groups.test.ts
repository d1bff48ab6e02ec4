import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { groupLives, signalGroup } from './process-groups.ts'

/** Runs a script in a group of its own until the test is over; resolves with what it says first. */
async function said(script: string): Promise<{ pid: number; word: string; end(): Promise<void> }> {
  const shell = spawn('sh', ['-c', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] })
  const ended = once(shell, 'exit')
  const end = async (): Promise<void> => {
    shell.kill('SIGKILL')
    await ended
  }
  onTestFinished(end)
  const [word] = (await once(shell.stdout, 'data')) as [Buffer]
  return { pid: shell.pid as number, word: String(word), end }
}

describe('T process groups', () => {
  it.runIf(process.platform === 'linux')('is not alive when all its members have ended, collected or not', async () => {
    // The leader of another group. It ends only when its parent is a `sleep`, which never collects children: a shell might.
    const leaderScript = 'until grep -q sleep /proc/$PPID/comm; do :; done'
    const { word } = await said(`setsid sh -c '${leaderScript}' & echo $!; exec sleep 60`)
    const leader = Number(word)
    await vi.waitFor(() => expect(readFileSync(`/proc/${leader}/stat`, 'utf8')).toContain(') Z'), 10_000)
    expect(signalGroup(leader, 0)).toBe(true)
    expect(groupLives(leader)).toBe(false)
  })

  it('lives as long as one of its members, and is gone with the last', async () => {
    const { pid, end } = await said('sleep 60 & echo up; exec sleep 60')
    expect(groupLives(pid)).toBe(true)
    await end()
    expect(groupLives(pid)).toBe(true)
    signalGroup(pid, 'SIGKILL')
    await vi.waitFor(() => expect(groupLives(pid)).toBe(false), 10_000)
  })
})
