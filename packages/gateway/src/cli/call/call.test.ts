import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer as createHttp } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type HttpServing, serveHttp } from 'parley-mcp/node'
import { createServer, tool } from 'parley-mcp/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parley, plain, plainServer } from '../cli.fixtures.ts'
import { weatherServer } from '../weather.fixtures.ts'

let serving: HttpServing
let folder: string

beforeAll(async () => {
  serving = await serveHttp(weatherServer(), { port: 0 })
  folder = await mkdtemp(join(tmpdir(), 'parley-call-'))
})
afterAll(async () => {
  await serving.close()
  await rm(folder, { recursive: true })
})

describe('parley call', () => {
  it('prints structured content once, as JSON', async () => {
    const { code, out, err } = await parley(['call', serving.url, 'forecast', '{"city":"Oslo"}'])
    expect([code, err]).toEqual([0, ''])
    expect(JSON.parse(out)).toEqual({ city: 'Oslo', days: 3 })
  })

  it('reads arguments from standard input', async () => {
    const nothing = await parley(['call', serving.url, 'forecast', '-'], { stdin: '\n' })
    expect([nothing.code, nothing.err]).toEqual([
      2,
      expect.stringContaining('"-" reads the arguments from standard input'),
    ])
    const { out } = await parley(['call', serving.url, 'forecast', '-'], { stdin: '{"city":"Bergen"}' })
    expect(JSON.parse(out)).toMatchObject({ city: 'Bergen' })
  })

  it('reads --arg by the schema of the tool, on top of JSON', async () => {
    const { out } = await parley(['call', serving.url, 'forecast', '{"city":"Oslo","days":1}', '--arg', 'days=7'])
    expect(JSON.parse(out)).toEqual({ city: 'Oslo', days: 7 })
    expect(JSON.parse((await parley(['call', serving.url, 'forecast', '--arg', 'city=42'])).out).city).toBe('42')
    const wrong = await parley(['call', serving.url, 'forecast', '--arg', 'city=Oslo', '--arg', 'dais=7'])
    expect(wrong.code).toBe(2)
    expect(wrong.err).toContain('did you mean "days"?')
  })

  it('speaks every version', async () => {
    for (const version of ['2024-11-05', '2025-06-18', '2026-07-28']) {
      const { out } = await parley(['call', serving.url, 'forecast', '{"city":"Oslo"}', '--version', version, '--json'])
      expect(JSON.parse(out)).toMatchObject({ tool: 'forecast', version })
    }
  })

  it('gives a file what it is, and a terminal nothing that steers it', async () => {
    expect((await parley(['call', serving.url, 'say'])).out).toBe('a line\u001b[2J\n')
    expect((await parley(['call', serving.url, 'say'], { tty: true })).out).toBe('a line\ufffd[2J\n')
  })

  it('shows binary content as a line, and writes it where told', async () => {
    const { out } = await parley(['call', serving.url, 'picture'])
    expect(out).toBe('[image, image/png, 4 B]\na dot\n')
    const file = join(folder, 'dot.png')
    const written = await parley(['call', serving.url, 'picture', '--out', file])
    expect(written.err).toContain(`wrote ${file} (4 B)`)
    expect([...(await readFile(file))]).toEqual([1, 2, 3, 4])
    expect((await parley(['call', serving.url, 'say', '--out', file])).code).toBe(1)
  })

  it('calls nothing whose result cannot be written', async () => {
    const { code, out, err } = await parley(['call', serving.url, 'fail', '--out', join(folder, 'absent', 'x.png')])
    expect([code, out]).toEqual([1, ''])
    expect(err).toMatch(/the folder .*absent is not writable: it does not exist/)
  })

  it('ends with 1 and the words of the tool on standard error when it fails', async () => {
    const { code, out, err } = await parley(['call', serving.url, 'fail'])
    expect([code, out]).toEqual([1, ''])
    expect(err).toContain('The sky is closed')
    const json = await parley(['call', serving.url, 'fail', '--json'])
    expect(JSON.parse(json.err).error).toMatchObject({
      kind: 'tool_error',
      message: 'The sky is closed',
      data: { tool: 'fail' },
    })
  })

  it('names of others are on the line of their message', async () => {
    const named = createServer({ name: 'good\nparley: all is well', version: '1' }).add(tool('a', {}, () => ''))
    await using other = await serveHttp(named, { port: 0 })
    const { err } = await parley(['call', other.url, 'x'])
    expect(err).toMatch(/^.*good has no tool "x".*\n.*it has 1 tool: a\n$/)
  })

  it('knows what was meant by a tool that does not exist', async () => {
    const { code, err } = await parley(['call', serving.url, 'forcast', '{}'])
    expect(code).toBe(1)
    expect(err).toContain('weather has no tool "forcast"; did you mean "forecast"?')
  })

  it('knows that a server behind a gateway is missing with all its tools', async () => {
    const here = tool('here__say', {}, () => 'x')
    await using gateway = await serveHttp(createServer({ name: 'parley-gateway', version: '1.0.0' }).add(here), {
      port: 0,
    })
    expect((await parley(['call', gateway.url, 'gone__say'])).err).toContain('there are no tools of a server "gone"')
    expect((await parley(['call', gateway.url, 'here__sya'])).err).not.toContain('nothing of a server')
  })

  it('names an argument the schema does not have when the tool fails', async () => {
    const find = tool(
      'find',
      { input: { type: 'object', properties: { from: { type: 'string' } }, required: ['from'] } },
      () => 'x',
    )
    await using other = await serveHttp(createServer({ name: 'trains', version: '1.0.0' }).add(find), { port: 0 })
    const { code, err } = await parley(['call', other.url, 'find', '--arg', 'form=Oslo'])
    expect(code).toBe(1)
    expect(err).toContain('hint: its schema has no argument "form"; did you mean "from"?')
  })

  it('points to the doctor when there is no server', async () => {
    const nowhere = 'http://127.0.0.1:1/'
    expect((await parley(['call', nowhere, 'forecast'])).err).toMatch(
      /hint: servers are usually at a path such as \/mcp; parley doctor http:\/\/127.0.0.1:1\/ explains why/,
    )
    expect((await parley(['call', 'forecast', '--', 'no-such-program', 'x'])).err).toContain(
      'hint: parley doctor -- no-such-program x explains why',
    )
    expect(JSON.parse((await parley(['call', nowhere, 'forecast', '--json'])).err).error).toMatchObject({
      kind: 'transport_error',
      hint: expect.any(String),
    })
  })

  it.each([
    [
      ['http://127.0.0.1:1/a', 'x', '--header', 'A: s3cret'],
      'parley doctor http://127.0.0.1:1/a with the same --header explains why',
    ],
    [['http://127.0.0.1:1/a?key=s3cret', 'x'], 'parley doctor with the same address explains why'],
    [['x', '--', 'no-such-program', 'two words'], "parley doctor -- no-such-program 'two words' explains why"],
  ])('gives no command that does not work: %j', async (line, hint) => {
    expect((await parley(['call', ...line])).err).toContain(`hint: ${hint}\n`)
  })

  it.each([
    [404, (origin: string) => `did you mean ${origin}/mcp? parley doctor ${origin}/ explains why`],
    [401, () => `give credentials: --header 'Authorization: Bearer …', or "headers" in the configuration`],
  ])('knows what to do about the status %d', async (status, hint) => {
    const other = createHttp((_, response) => response.writeHead(status).end()).listen(0, '127.0.0.1')
    await once(other, 'listening')
    const origin = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
    const { err } = await parley(['call', origin, 'forecast'])
    other.close()
    expect(err).toContain(`hint: ${hint(origin)}\n`)
  })

  it.each(['https', 'wss'])('says that the port behind %s:// does not speak TLS', async (scheme) => {
    const { err } = await parley(['call', serving.url.replace('http', scheme), 'forecast'])
    expect(err).toContain(
      `: the port does not speak TLS; did you mean ${serving.url.replace('http', scheme.slice(0, -1))}?\n`,
    )
  })

  it('names the place where JSON goes wrong', async () => {
    const { code, err } = await parley(['call', serving.url, 'forecast', '{"city": "Oslo",\n "days": }'])
    expect(code).toBe(2)
    expect(err).toMatch(/line 2, column \d+\n {3}"days": \}\n +\^/)
    expect((await parley(['call', serving.url, 'forecast', '[1]'])).err).toContain('must be a JSON object')
  })

  it('tells of progress on standard error, and cancels the call on interruption', async () => {
    let interrupted = false
    const { code, err } = await parley(['call', serving.url, 'slow'], {
      onStderr: (text, { interrupt }) => {
        if (interrupted || !text.includes('begun')) return
        interrupted = true
        interrupt()
      },
    })
    expect(code).toBe(1)
    expect(err).toContain('1/2 begun')
    expect(err).toContain('Cancelled')
  })

  it('starts a command, with the environment of whoever typed it, and ends it', async () => {
    process.env['PLAIN_SECRET'] = 'passed on'
    const { code, out } = await parley(['call', 'echo', '{"text":"hello"}', ...plain()]).finally(
      () => delete process.env['PLAIN_SECRET'],
    )
    expect([code, out]).toEqual([0, 'you said hello passed on\n'])
  })

  it('takes a server of a configuration', async () => {
    const file = join(folder, 'parley.json')
    await writeFile(
      file,
      JSON.stringify({
        mcpServers: { plain: { command: process.execPath, args: [plainServer] }, weather: { url: serving.url } },
      }),
    )
    const { out } = await parley(['call', '--config', file, '--server', 'plain', 'echo', '{"text":"hi"}'])
    expect(out).toBe('you said hi\n')
    expect((await parley(['bridge', '--config', file])).err).toContain('hint: --server plain | weather\n')
    const unclear = await parley(['call', '--config', file, 'echo'])
    expect(unclear.code).toBe(2)
    expect(unclear.err).toContain('plain | weather')
  })
})

describe('F6 questions of a server during parley call', () => {
  it.each([
    ['nobody is there', [], false],
    ['--decline says so', ['--decline'], true],
  ])(
    'cannot be put where %s: such a client says that it can be asked nothing, and may share a server',
    async (_, line, tty) => {
      for (const version of ['2025-06-18', '2026-07-28']) {
        const { code, err } = await parley(['call', serving.url, 'deploy', '--version', version, ...line], {
          tty,
          env: { NO_COLOR: '1' },
        })
        expect([code, err]).toEqual([
          1,
          'error: This needs the client capability "elicitation.form", which this client did not declare\nhint: the server asks a question: answer with --answer key=value, or at a terminal without --decline\n',
        ])
      }
    },
  )

  it('are answered by --answer, with the defaults of the form', async () => {
    for (const version of ['2025-06-18', '2026-07-28']) {
      const { out } = await parley([
        'call',
        serving.url,
        'deploy',
        '--version',
        version,
        '--answer',
        'place=live',
        '--answer',
        'sure=yes',
      ])
      expect(JSON.parse(out)).toEqual({ action: 'accept', content: { place: 'live', copies: 2, sure: true } })
    }
    const missing = await parley(['call', serving.url, 'deploy', '--answer', 'place=live'])
    expect(JSON.parse(missing.out)).toMatchObject({ action: 'decline' })
    expect(missing.err).toContain('no --answer for "sure"')
  })

  it('name the version to speak where the one that is spoken has none', async () => {
    const { code, err } = await parley(['call', serving.url, 'deploy', '--version', '2024-11-05'])
    expect([code, err]).toEqual([
      1,
      'error: This needs the client capability "elicitation.form", which protocol version 2024-11-05 does not have\nhint: --version 2025-06-18 or later can be asked\n',
    ])
  })

  it.each([
    [['place=moon', 'sure=yes'], '--answer place=moon: choose one of test, live'],
    [
      ['place=live', 'sure=yes', 'copys=3'],
      '--answer copys: the server does not ask for this field; did you mean "copies"?',
    ],
    [['colour=red'], '--answer colour: the server does not ask for this field'],
    [['plaice=live', 'sure=yes'], '--answer plaice: the server does not ask for this field; did you mean "place"?'],
  ])('stop the call where --answer %j is a mistake', async (answers, message) => {
    for (const version of ['2025-06-18', '2026-07-28']) {
      const { code, out, err } = await parley([
        'call',
        serving.url,
        'deploy',
        '--version',
        version,
        ...answers.flatMap((each) => ['--answer', each]),
      ])
      expect([code, out]).toEqual([1, ''])
      expect(err).toContain(`error: ${message}\n`)
    }
  })

  it('name an --answer nobody wanted', async () => {
    const line = [
      'call',
      serving.url,
      'deploy',
      '--answer',
      'place=live',
      '--answer',
      'sure=yes',
      '--answer',
      'colour=red',
    ]
    const { code, err } = await parley(line)
    expect([code, err]).toEqual([0, '--answer colour: the server does not ask for this field\n'])
  })

  it('are put to whoever sits at the terminal, again where the answer does not fit', async () => {
    const script: [RegExp, string][] = [
      [/Do you want to answer\? Type yes, or no to decline: $/, 'y\n'],
      [/2\. live\n {2}place \(one of these\): $/, 'moon\n'],
      [/choose one of test, live\n[\s\S]*place \(one of these\): $/, '2\n'],
      [/copies \(integer, 1 to 5\) \[2\]: $/, '9\n'],
      [/type 5 or less\n[\s\S]*copies \(integer, 1 to 5\) \[2\]: $/, '\n'],
      [/sure \(boolean\): $/, 'no\n'],
    ]
    const { out, err } = await parley(['call', serving.url, 'deploy'], {
      tty: true,
      onStderr: (text, { type }) => {
        const [expected, answer] = script[0] ?? [/$^/, '']
        if (!expected.test(text)) return
        script.shift()
        type(answer)
      },
    })
    expect(script).toEqual([])
    expect(err).toContain('weather asks:\n  Deploy it?')
    expect(JSON.parse(out)).toEqual({ action: 'accept', content: { place: 'live', copies: 2, sure: false } })
  })
})
