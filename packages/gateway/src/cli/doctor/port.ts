/** Whether the gateway could listen where it is told to. */
import { createServer } from 'node:net'
import { within } from '../within.ts'
import type { Findings } from './check.ts'

const ANSWER_MS = 1000

type Place = { readonly host: string; readonly port: number }

export async function portCheck(findings: Findings, { host, port }: Place): Promise<void> {
  const where = `${host}:${port}`
  const error = await objection({ host, port })
  if (error === undefined) return findings.ok('port', `${where} is free`)
  if (error === 'EADDRINUSE' && (await somebodyServes({ host, port }))) {
    return findings.warning(
      'port',
      `a server answers at ${where} already`,
      'if it is not this gateway, stop it or choose another port: --port',
    )
  }
  if (error === 'EADDRINUSE')
    return findings.problem(
      'port',
      `${where} is taken by another program`,
      'stop it, or choose another port: --port, or "port" under "gateway"',
    )
  if (error === 'EACCES')
    return findings.problem('port', `this user may not listen on ${where}`, 'choose a port above 1023')
  findings.problem(
    'port',
    `cannot listen on ${where}: ${error}`,
    'choose an address of this machine: --host, or "host" under "gateway"',
  )
}

function objection({ host, port }: Place): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)))
  })
}

async function somebodyServes({ host, port }: Place): Promise<boolean> {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  const asking = fetch(`http://${name.includes(':') ? `[${name}]` : name}:${port}/healthz`, {
    signal: AbortSignal.timeout(ANSWER_MS),
  })
  const answered = asking.then(
    async (response) => {
      await response.body?.cancel()
      return response.ok
    },
    () => false,
  )
  return (await within(2 * ANSWER_MS, answered)) === true
}
