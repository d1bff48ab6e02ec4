import { type FakeClock, fakeClock } from 'parley-mcp/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import type { CommandTarget, RemoteTarget } from '../config/index.ts'
import { textLog } from '../log/index.ts'
import type { UpstreamEvent } from '../supervision/index.ts'
import { EventLog, type Help } from './events.ts'

const command: CommandTarget = { kind: 'command', command: 'npx', args: [], env: {}, cwd: undefined }
const remote: RemoteTarget = {
  kind: 'remote',
  url: 'http://127.0.0.1:4556/mpc?key=secret',
  transport: undefined,
  headers: {},
}

let said: string[]
let clock: FakeClock
beforeEach(() => {
  said = []
  clock = fakeClock(0)
})

function eventLog({
  target = command as CommandTarget | RemoteTarget,
  help = undefined as Help | undefined,
  least = 'info' as 'info' | 'debug',
} = {}): EventLog {
  const log = textLog(least, (line) => said.push(line.slice('00:00:00 '.length, -1)))
  return new EventLog({ log, clock, target, help })
}

const failed = (error: string, nextAttemptAt?: number): UpstreamEvent => ({
  type: 'start_failed',
  upstream: 'a',
  error,
  nextAttemptAt,
})
const ended = (more: object = {}): UpstreamEvent => ({
  type: 'ended',
  upstream: 'a',
  abnormal: true,
  error: 'The server "a" exited with code 1',
  exit: { code: 1, signal: null },
  lines: ['Error: no key', '    at main'],
  ...more,
})
const crash = 'warning a: exited with code 1; the end of its standard error:\n  | Error: no key\n  |     at main'

describe('the log of a server that fails', () => {
  it('G: has a new or changed failure in full, and a repeated one only with the time of the next attempt', async () => {
    const log = eventLog()
    log.log(ended({ nextAttemptAt: undefined }))
    log.log(ended({ nextAttemptAt: 1500 }))
    await clock.advance(1500)
    log.log(ended({ nextAttemptAt: 5500 }))
    log.log(ended({ lines: ['Error: no licence'] }))
    log.log(ended())
    expect(said).toEqual([
      crash,
      'warning a: as before; next attempt in 2 s',
      'warning a: as before; next attempt in 4 s',
      'warning a: exited with code 1; the end of its standard error:\n  | Error: no licence',
      crash,
    ])
  })

  it('G: has a failure in full again after a long time', async () => {
    const log = eventLog()
    log.log(ended())
    await clock.advance(600_000)
    log.log(ended({ nextAttemptAt: clock.now() + 1000 }))
    expect(said).toEqual([crash, crash])
  })

  it('G: does not repeat standard error when the operator sees it anyway', () => {
    const log = textLog('info', (line) => said.push(line))
    new EventLog({ log, clock, target: command, help: undefined, showsStderr: true }).log(ended())
    expect(said).toEqual([expect.stringMatching(/ warning a: exited with code 1\n$/)])
  })

  it('G: names the doctor command once', () => {
    const log = eventLog({ help: { doctor: 'parley doctor --config parley.json --server a' } })
    log.log(failed('The server "a" could not be started or reached: ECONNREFUSED'))
    log.log(ended())
    expect(said).toEqual([
      'warning a: ECONNREFUSED; parley doctor --config parley.json --server a finds out more',
      crash,
    ])
  })

  it('G: has the folders of PATH at the level debug', () => {
    const error =
      'The server "a" could not be started or reached: Cannot start "x": there is no such command in PATH (/usr/bin:/bin); give its full path'
    eventLog().log(failed(error))
    const short = 'warning a: Cannot start "x": there is no such command in PATH; give its full path'
    expect(said.splice(0)).toEqual([short])
    eventLog({ least: 'debug' }).log(failed(error))
    expect(said).toEqual([
      short,
      'debug a: Cannot start "x": there is no such command in PATH (/usr/bin:/bin); give its full path',
    ])
  })

  it('G: quotes the output of a process that is no message', () => {
    eventLog().log({ type: 'stray', upstream: 'a', line: `Server starting up...${'.'.repeat(200)}` })
    expect(said).toEqual([
      expect.stringMatching(
        /^warning a: writes to standard output what is no message: "Server starting up\.+…"; it must log to standard error$/,
      ),
    ])
  })
})

describe('the log of a remote server that was never reached', () => {
  const refused = (status: number): UpstreamEvent =>
    ended({ status, error: `answered ${status}: a long story`, lines: [], exit: undefined })
  const withHeaders: RemoteTarget = { ...remote, headers: { Authorization: 'Bearer x' } }

  it.each([
    [
      'credentials are missing',
      401,
      { target: remote },
      `wants credentials (401): put "headers": { "Authorization": "Bearer \${TOKEN}" } into its configuration`,
    ],
    [
      'credentials are missing at a bridge',
      401,
      { target: remote, help: { credentials: 'give --header' } },
      'wants credentials (401): give --header',
    ],
    [
      'credentials are wrong',
      401,
      { target: withHeaders },
      'does not take the credentials it is given (401): get new ones',
    ],
    [
      'the path is wrong',
      404,
      { target: remote },
      'nothing for MCP at http://127.0.0.1:4556/mpc (404); servers are usually at /mcp',
    ],
    [
      'the host is wrong',
      404,
      { target: { ...remote, url: 'http://a/mcp' } },
      'nothing for MCP at http://a/mcp (404); check the address',
    ],
    ['something else is wrong', 500, { target: remote }, 'answered 500: a long story'],
  ])('G: says what to do when %s', (_, status, options, words) => {
    eventLog(options).log(refused(status))
    expect(said).toEqual([`warning a: ${words}`])
  })
})
