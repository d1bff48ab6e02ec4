import { describe, expect, it } from 'vitest'
import { childEnvironment } from './environment.ts'

const own = { PATH: '/bin', HOME: '/home/me', API_KEY: 'secret', LANG: 'C', SHELL: '() { evil; }', EMPTY: undefined }

describe('T the environment of a child', () => {
  it('is what programs need to run, and no secrets', () => {
    expect(childEnvironment({}, own, 'linux')).toEqual({ PATH: '/bin', HOME: '/home/me', LANG: 'C' })
  })

  it('has what is added, and lacks what is taken away', () => {
    expect(childEnvironment({ env: { TOKEN: 't', LANG: undefined, HOME: '/' } }, own, 'linux')).toEqual({
      PATH: '/bin',
      HOME: '/',
      TOKEN: 't',
    })
  })

  it('is everything when asked for', () => {
    expect(childEnvironment({ inheritEnv: true, env: { MORE: '1' } }, own, 'darwin')).toEqual({
      ...own,
      EMPTY: undefined,
      MORE: '1',
    })
  })

  it('knows that names have no case on Windows', () => {
    const windows = { Path: 'C:\\bin', SystemRoot: 'C:\\Windows', HOME: 'x', Secret: 's' }
    expect(childEnvironment({}, windows, 'win32')).toEqual({ Path: 'C:\\bin', SystemRoot: 'C:\\Windows' })
    expect(childEnvironment({ env: { PATH: 'D:\\' } }, windows, 'win32')).toEqual({
      PATH: 'D:\\',
      SystemRoot: 'C:\\Windows',
    })
    expect(childEnvironment({ env: { PATH: undefined } }, windows, 'win32')).toEqual({ SystemRoot: 'C:\\Windows' })
  })
})
