/** Checks that the gateway can listen on its port. */
import { createServer } from 'node:net'
import type { SubjectReport } from '../report/subject-report.ts'
import { withTimeLimit } from '../time-limit.ts'

const ANSWER_MS = 1000

type ListenAddress = { readonly host: string; readonly port: number }

export async function portCheck(report: SubjectReport, { host, port }: ListenAddress): Promise<void> {
  const where = `${host}:${port}`
  const error = await listenError({ host, port })
  if (error === undefined) return report.ok('port', `${where} is free`)
  if (error === 'EADDRINUSE' && (await serverAnswers({ host, port }))) {
    return report.warning(
      'port',
      `a server answers at ${where} already`,
      'if it is not this gateway, stop it or choose another port: --port',
    )
  }
  if (error === 'EADDRINUSE')
    return report.problem(
      'port',
      `${where} is taken by another program`,
      'stop it, or choose another port: --port, or "port" under "gateway"',
    )
  if (error === 'EACCES')
    return report.problem('port', `this user may not listen on ${where}`, 'choose a port above 1023')
  report.problem(
    'port',
    `cannot listen on ${where}: ${error}`,
    'choose an address of this machine: --host, or "host" under "gateway"',
  )
}

function listenError({ host, port }: ListenAddress): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)))
  })
}

async function serverAnswers({ host, port }: ListenAddress): Promise<boolean> {
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
  return (await withTimeLimit(2 * ANSWER_MS, answered)) === true
}
