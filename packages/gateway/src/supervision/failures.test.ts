import { ParleyError } from 'parley-mcp'
import { describe, expect, it } from 'vitest'
import { crashError, explained, lostConnection, startError, statusIn, withoutName } from './failures.ts'

const plain = (text: string) => text

describe('what is said of a failure', () => {
  it.each([
    [startError('a', new Error('ECONNREFUSED'), plain), 'ECONNREFUSED'],
    [lostConnection('a', new Error('ECONNRESET'), true, plain), 'the connection was lost: ECONNRESET'],
    [lostConnection('a', new Error('ECONNRESET'), false, plain), 'ECONNRESET'],
    [lostConnection('a', undefined, true, plain), 'closed the connection'],
    [crashError('a', { code: 1, signal: null }, []), 'exited with code 1'],
    [
      explained('a', new Error('No common version'), { symptoms: undefined, stderr: [] }, plain).error,
      'No common version',
    ],
    [new Error('The server "b" exited with code 1'), 'The server "b" exited with code 1'],
  ])('G: names the server once where it stands before it already (%s)', ({ message }, words) => {
    expect(withoutName('a', message)).toBe(words)
  })

  it('G: speaks of a lost connection only where there was one', () => {
    const refusal = new ParleyError('transport_error', {
      message: 'http://x/mpc answered 404: no',
      data: { status: 404 },
    })
    expect(lostConnection('a', refusal, false, plain).message).toBe(
      'The server "a" could not be started or reached: http://x/mpc answered 404: no',
    )
    expect(lostConnection('a', refusal, true, plain).message).toBe(
      'The connection to the server "a" was lost: http://x/mpc answered 404: no',
    )
    expect(statusIn(refusal)).toBe(404)
  })

  it.each([
    ['Neither this nor that: x answered 404: a; x answered 404: a', 'Neither this nor that: x answered 404: a'],
    ['Neither: x answered 404: a; b; x answered 404: a; b', 'Neither: x answered 404: a; b'],
    ['Neither: x answered 404: a; x answered 405: a', 'Neither: x answered 404: a; x answered 405: a'],
    ['one; two', 'one; two'],
  ])('G: says what two ways have in common once (%s)', (words, said) => {
    expect(withoutName('a', startError('a', new Error(words), plain).message)).toBe(said)
  })

  it('G: says of a program that sends everything back that it does, and nothing about our own messages', () => {
    const symptoms = '"cat" echoes its input; is it an MCP server?'
    const { error, summary } = explained(
      'cat',
      new Error('initialize is not allowed before initialize is complete'),
      { symptoms, stderr: [] },
      plain,
    )
    expect(summary).toBe(`No session with the server "cat": ${symptoms}`)
    expect(error.message).toBe(summary)
  })
})
