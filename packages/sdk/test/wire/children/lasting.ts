/**
 * A process for the tests of connections that end and come back. Its first argument says what it is: a server over
 * `stdio`, `http` or `tcp`, a `client`, or `both`.
 */
import { closeOnSignals, connect, serveHttp, serveStdio, serveTcp } from '../../../src/node.ts'
import { createServer, resource, tool } from '../../../src/server.ts'

const [role, port = '0'] = process.argv.slice(2)
const crashReports = process.env['CRASH_REPORTS']

const server = createServer({ name: 'lasting', version: '1.0.0' }).add(
  tool('pid', { annotations: { readOnlyHint: true } }, () => String(process.pid)),
  tool('act', {}, () => 'done'),
  tool('hang', {}, () => {
    process.stderr.write('hanging\n')
    return new Promise<string>(() => {})
  }),
  tool('slow', {}, async () => {
    process.stderr.write('slow\n')
    await new Promise((resolve) => setTimeout(resolve, 500))
    return 'finished'
  }),
  tool(
    'crash',
    { input: { type: 'object', properties: { how: { type: 'string' }, password: { type: 'string' } } } as const },
    ({ how }) => {
      const fail = (): never => {
        throw new Error(`on purpose, with ${process.env['CRASH_SECRET']}`)
      }
      if (how === 'rejection') void Promise.resolve().then(fail)
      else setImmediate(fail)
      return new Promise<string>(() => {})
    },
  ),
  resource('life://pid', {}, () => String(process.pid)),
)

const reporting = crashReports === undefined ? {} : { crashReports }

if (role === 'stdio') await serveStdio(server, { ...reporting, drain: Number(process.env['DRAIN'] ?? 5000) })

if (role === 'http' || role === 'tcp') {
  const settings = { port: Number(port), ...reporting }
  const handle = role === 'http' ? await serveHttp(server, settings) : await serveTcp(server, settings)
  process.on('SIGTERM', () => process.stderr.write('told\n'))
  closeOnSignals([handle, server], {
    onPersist: (sessions) =>
      void process.stderr.write(`persisted ${sessions.map(({ version }) => version).join(' ')}\n`),
  })
  process.stdout.write(`${handle.url}\n`)
}

if (role === 'client') {
  const client = await connect(
    { command: process.execPath, args: [process.argv[1] as string, 'stdio'] },
    { reconnect: { delays: ['300ms'] } },
  )
  const before = Number((await client.call('pid')).text)
  process.kill(before, 'SIGKILL')
  await new Promise<void>((resolve) => void client.onState(({ to }) => to === 'reconnecting' && resolve()))
  // Nothing but the wait for the connection keeps this process alive now.
  const after = Number((await client.call('pid')).text)
  process.stdout.write(after === before ? 'the same\n' : 'another one\n')
  await client.close()
}

if (role === 'both') {
  const client = await connect(server)
  // Nothing but the time-out keeps this process alive now, and afterwards nothing does, although nobody closes the
  // connection.
  const failure = await client.call('hang', {}, { timeout: '100ms' }).catch(({ kind }) => kind)
  process.stdout.write(`${failure}\n`)
}
