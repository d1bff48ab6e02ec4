import { describe, expect, it } from 'vitest'
import { wrongProtocol } from './wrong-protocol.ts'

const OPENSSL =
  'write EPROTO 801C:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../deps/openssl/openssl/ssl/record/ssl3_record.c:350:\n'
const UNDICI = 'Response does not match the HTTP/1.1 protocol (Expected HTTP/, RTSP/ or ICE/)'

describe('E2 a peer that speaks another language than the address says', () => {
  it.each([
    [
      'https://a/mcp',
      Object.assign(new Error(OPENSSL), { code: 'EPROTO' }),
      'the port does not speak TLS; did you mean http://a/mcp?',
    ],
    [
      'https://a/mcp',
      new TypeError('fetch failed', { cause: { code: 'ERR_SSL_WRONG_VERSION_NUMBER' } }),
      'the port does not speak TLS; did you mean http://a/mcp?',
    ],
    ['wss://a/ws', OPENSSL, 'the port does not speak TLS; did you mean ws://a/ws?'],
    [
      'http://a/mcp',
      Object.assign(new Error('Parse Error: Expected HTTP/'), { code: 'HPE_INVALID_CONSTANT' }),
      'what came is not HTTP (Parse Error: Expected HTTP/)',
    ],
    ['http://a/mcp', new TypeError('fetch failed', { cause: new Error(UNDICI) }), `what came is not HTTP (${UNDICI})`],
    ['ws://a/ws', 'Parse Error: Expected HTTP/', 'what came is not HTTP (Parse Error: Expected HTTP/)'],
    ['http://a/mcp', { code: 'HPE_INVALID_CONSTANT' }, 'what came is not HTTP (HPE_INVALID_CONSTANT)'],
    [
      'https://a/mcp',
      Object.assign(new Error('write EPROTO 1:error:0A000410:SSL routines::sslv3 alert handshake failure'), {
        code: 'EPROTO',
      }),
      undefined,
    ],
    ['https://a/mcp', undefined, undefined],
  ])('%s: %s', (address, error, words) => {
    expect(wrongProtocol(address, error)).toBe(words)
  })

  it('is not looked for in a circle of causes for ever', () => {
    const [one, other] = [new Error('one'), new Error('other')]
    one.cause = other
    other.cause = one
    expect(wrongProtocol('http://a/mcp', one)).toBeUndefined()
  })
})
