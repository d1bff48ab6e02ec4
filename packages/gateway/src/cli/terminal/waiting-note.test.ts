import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { CliIo } from './io.ts'
import { waitingNote } from './waiting-note.ts'

describe('a note on a slow server', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  function noted(isTTY: boolean, use: (io: CliIo) => void): string {
    let text = ''
    use({ stderr: { isTTY, write: (more: string) => (text += more) }, env: { NO_COLOR: '1' } } as unknown as CliIo)
    vi.advanceTimersByTime(60_000)
    return text
  }

  it('says once what is waited for, and for how long', () => {
    const use = (io: CliIo): unknown => waitingNote(io, 'npx some-server', 60_000)
    expect(noted(true, use)).toBe('waiting for npx some-server, for 60.0 s at most; Ctrl-C cancels\n')
    expect(noted(false, use)).toBe('')
  })

  it('is not for what is quick', () => {
    const use = (io: CliIo): void => {
      const { stop } = waitingNote(io, 'x', 60_000)
      vi.advanceTimersByTime(1900)
      stop()
    }
    expect(noted(true, use)).toBe('')
  })
})
