import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { guardStdout } from './output-guard.ts'

describe('T standard output is for frames', () => {
  it('sends what others write to standard error until it is restored', () => {
    const [out, err] = [new PassThrough(), new PassThrough()]
    const guard = guardStdout(out, err)
    out.write('stray')
    guard.write.call(out, 'frame', 'utf8')
    guard.restore()
    out.write(' and then')
    expect([String(out.read()), String(err.read())]).toEqual(['frame and then', 'stray'])
    expect(Object.hasOwn(out, 'write')).toBe(false)
  })

  it('outlives an error of standard error', () => {
    const err = new PassThrough()
    const guard = guardStdout(new PassThrough(), err)
    expect(() => err.emit('error', new Error('EPIPE'))).not.toThrow()
    guard.restore()
    expect(err.listenerCount('error')).toBe(0)
  })

  it('does not undo a later replacement, and restores the original', () => {
    const out = new PassThrough()
    const theirs = () => true
    out.write = theirs
    const guard = guardStdout(out, new PassThrough())
    guard.restore()
    expect(out.write).toBe(theirs)
    const again = guardStdout(out, new PassThrough())
    const later = () => true
    out.write = later
    again.restore()
    expect(out.write).toBe(later)
  })
})
