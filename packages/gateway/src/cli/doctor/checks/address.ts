/** Checks an address step by step: its name, its port, its certificate. */
import { lookup } from 'node:dns/promises'
import { connect as connectTcp, isIP } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { elapsed } from '../../terminal/text.ts'
import type { SubjectReport } from '../report/subject-report.ts'
import { withTimeLimit } from '../time-limit.ts'

const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'ws:': 80, 'https:': 443, 'wss:': 443 }
const SECURE: readonly string[] = ['https:', 'wss:']
const SOON_DAYS = 14
const DAY = 86_400_000

/** The host without brackets, as sockets need it. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '')

export interface StepLimit {
  /** The limit of each step, in milliseconds. */
  readonly timeout: number
  /** Cancels the step. A cancelled step reports nothing. */
  readonly signal: AbortSignal
}

/** Whether the next check makes sense. */
export async function addressChecks(report: SubjectReport, url: URL, { timeout, signal }: StepLimit): Promise<boolean> {
  const port = url.port === '' ? PORTS[url.protocol] : Number(url.port)
  if (port === undefined) {
    report.problem('address', `${url.protocol}// addresses need a port`, `${url.protocol}//${url.hostname}:PORT`)
    return false
  }
  return (
    (await nameCheck(report, hostOf(url), timeout)) &&
    (await portCheck(report, hostOf(url), port, { timeout, signal })) &&
    (await tlsCheck(report, url, port, { timeout, signal }))
  )
}

async function nameCheck(report: SubjectReport, host: string, timeout: number): Promise<boolean> {
  if (isIP(host) !== 0) return true
  const found = await withTimeLimit(
    timeout,
    lookup(host, { all: true }).catch((error: NodeJS.ErrnoException) => error),
  )
  if (Array.isArray(found)) {
    report.ok(
      'name',
      `${host} is ${found
        .map(({ address }) => address)
        .slice(0, 4)
        .join(', ')}`,
    )
    return true
  }
  const why =
    found === 'late'
      ? `no answer within ${elapsed(timeout)}`
      : found.code === 'ENOTFOUND'
        ? 'no DNS server knows it'
        : (found.code ?? found.message)
  report.problem(
    'name',
    `${host} cannot be resolved: ${why}`,
    'check the spelling of the address, and that this machine is connected',
  )
  return false
}

const REFUSALS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there: start the server, or check the port',
  EHOSTUNREACH: 'this machine cannot reach that machine: check the network or the VPN',
  ENETUNREACH: 'this machine cannot reach that network: check the network or the VPN',
  ETIMEDOUT: 'a firewall may drop the connection: check that the port is open',
}

function portCheck(
  report: SubjectReport,
  host: string,
  port: number,
  { timeout, signal }: StepLimit,
): Promise<boolean> {
  const began = performance.now()
  return new Promise((resolve) => {
    const socket = connectTcp({ host, port })
    const end = (reached: boolean): void => {
      socket.destroy()
      resolve(reached)
    }
    const refuse = (code: string): void => {
      report.problem('port', `${host} port ${port}: ${code}`, REFUSALS[code] ?? 'check the address and the network')
      end(false)
    }
    signal.addEventListener('abort', () => end(false), { once: true })
    socket.setTimeout(timeout, () => refuse('ETIMEDOUT'))
    socket.once('error', (error: NodeJS.ErrnoException & { errors?: NodeJS.ErrnoException[] }) =>
      refuse(error.code ?? error.errors?.[0]?.code ?? error.message),
    )
    socket.once('connect', () => {
      report.ok('port', `${host} port ${port} answers in ${elapsed(performance.now() - began)}`)
      end(true)
    })
  })
}

const CERTIFICATES: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'renew the certificate of the server, and check the clock of this machine',
  CERT_NOT_YET_VALID: 'check the clock of this machine',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'if you trust it, name its certificate in NODE_EXTRA_CA_CERTS',
  SELF_SIGNED_CERT_IN_CHAIN: 'if you trust it, name the certificate of its authority in NODE_EXTRA_CA_CERTS',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the server does not send its intermediate certificates: correct its settings',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'the server does not send its intermediate certificates, or NODE_EXTRA_CA_CERTS must name its authority',
  ERR_TLS_CERT_ALTNAME_INVALID: 'use the name of the certificate',
}

function tlsCheck(report: SubjectReport, url: URL, port: number, { timeout, signal }: StepLimit): Promise<boolean> {
  if (!SECURE.includes(url.protocol)) return Promise.resolve(true)
  const host = hostOf(url)
  return new Promise((resolve) => {
    // Accepts any certificate to report its problem. Nothing is sent.
    const socket = connectTls({
      host,
      port,
      rejectUnauthorized: false,
      ...(isIP(host) === 0 ? { servername: host } : {}),
    })
    const end = (trusted: boolean): void => {
      socket.destroy()
      resolve(trusted)
    }
    signal.addEventListener('abort', () => end(false), { once: true })
    socket.setTimeout(timeout, () => {
      report.problem('certificate', `no TLS handshake within ${elapsed(timeout)}`, 'check that the port speaks TLS')
      end(false)
    })
    socket.once('error', (error: NodeJS.ErrnoException) => {
      report.problem(
        'certificate',
        `no TLS: ${error.code ?? error.message}`,
        `the port may not speak TLS: try ${url.protocol === 'https:' ? 'http' : 'ws'}://`,
      )
      end(false)
    })
    socket.once('secureConnect', () => end(certificateCheck(report, socket)))
  })
}

/** Whether the port speaks TLS. Sends nothing and checks no certificate. */
export function speaksTls(url: URL, { timeout, signal }: StepLimit): Promise<boolean> {
  const host = hostOf(url)
  return new Promise((resolve) => {
    const port = url.port === '' ? PORTS[url.protocol] : Number(url.port)
    const socket = connectTls({
      host,
      port: port ?? 0,
      rejectUnauthorized: false,
      ...(isIP(host) === 0 ? { servername: host } : {}),
    })
    const end = (speaks: boolean): void => {
      socket.destroy()
      resolve(speaks)
    }
    signal.addEventListener('abort', () => end(false), { once: true })
    socket.setTimeout(timeout, () => end(false))
    socket.once('error', () => end(false))
    socket.once('secureConnect', () => end(true))
  })
}

function certificateCheck(report: SubjectReport, socket: TLSSocket): boolean {
  const { authorizationError } = socket
  const code =
    authorizationError instanceof Error
      ? ((authorizationError as NodeJS.ErrnoException).code ?? authorizationError.message)
      : String(authorizationError)
  if (!socket.authorized) {
    report.problem('certificate', `not trusted: ${code}`, CERTIFICATES[code] ?? 'correct the certificate of the server')
    return false
  }
  const until = socket.getPeerCertificate().valid_to
  const days = Math.floor((Date.parse(until) - Date.now()) / DAY)
  if (days < SOON_DAYS) report.warning('certificate', `it expires in ${days} days, on ${until}`, 'renew it')
  else report.ok('certificate', `valid until ${until}, ${socket.getProtocol()}`)
  return true
}
