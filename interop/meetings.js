/** How a meeting of Parley with somebody else is arranged, in either role. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ParleyError } from 'parley-mcp/client'
import { connect } from 'parley-mcp/node'
import { startProgram } from '../scripts/program.js'
import { answers, probes } from './probes/our-client.js'
import { theirProbes } from './probes/their-client.js'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))

/** The versions Parley is told to speak; all unless it is told anything. */
const SPOKEN = {
  stateless: ['2026-07-28'],
  handshake: ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
}

/** A busy machine is not to be mistaken for a server that does not know the question; unless that is what is tried. */
const PROBE_TIMEOUT = { hasty: '1ms', patient: '20s' }

const nameOf = (spoken) => (spoken === undefined || spoken === 'all' ? 'Parley' : `Parley ${spoken}`)

/** Where there is no version for both, the side that connects has to say so. */
const REFUSAL = { ours: { kind: 'unsupported_protocol_version' }, theirs: /2026-07-28/ }

async function refusedWith(expected, connecting) {
  const error = await connecting.then(
    () => undefined,
    (reason) => reason,
  )
  if (error === undefined) throw new Error('they agreed on something, but have no version in common')
  await assert.rejects(Promise.reject(error), expected)
}

/**
 * `spoken`: which versions Parley's client speaks. `version`: the one they find; undefined for none. `lacks`: why a
 * probe cannot be made with this peer.
 */
export function withTheirServer(
  {
    title,
    version,
    spoken,
    lacks,
    program,
    probes: own = probes,
    answers: given = answers,
    notFound = (error) => error instanceof ParleyError,
  },
  transport,
) {
  return {
    client: nameOf(spoken),
    server: title,
    role: 'server',
    transport,
    version,
    lacks,
    notFound,
    probes: own,
    async meet(recording) {
      const args = program(transport)
      const running = transport === 'stdio' ? undefined : await startProgram(args)
      // That a server has only HTTP+SSE, the client finds out by itself.
      const target = running === undefined ? { command: process.execPath, args, stderr: 'ignore' } : running.url
      const options = {
        ...given,
        ...(spoken in SPOKEN && { versions: SPOKEN[spoken] }),
        probeTimeout: PROBE_TIMEOUT[spoken] ?? PROBE_TIMEOUT.patient,
        initialiseTimeout: '30s',
        info: { name: 'parley-interop', version: '1.0.0' },
        tap: (direction, frame) => recording.add(1, direction === 'sent' ? 'ours' : 'theirs', frame),
      }
      const stop = async () => running?.stop()
      try {
        if (version !== undefined) {
          const client = await connect(target, options)
          return { subject: client, close: () => client.close().finally(stop) }
        }
        await refusedWith(REFUSAL.ours, connect(target, options))
        return { close: stop }
      } catch (error) {
        await stop()
        throw error
      }
    },
  }
}

/** How a client of the SDK gets to a server. */
const ways = {
  stdio: (sdk, args) =>
    new sdk.StdioClientTransport({ command: process.execPath, args, env: { ...process.env }, stderr: 'ignore' }),
  http: (sdk, _, url) => new sdk.StreamableHTTPClientTransport(new URL(url)),
  sse: (sdk, _, url) => new sdk.SSEClientTransport(new URL('/sse', url)),
}

/** As above, with the roles exchanged; `spoken` may also be `replay`. */
export function withTheirClient(
  { title, version, spoken, lacks, notFound = -32002, makeClient, probes: own = theirProbes },
  transport,
) {
  return {
    client: title,
    server: nameOf(spoken),
    role: 'client',
    transport,
    version,
    lacks,
    notFound,
    probes: own,
    async meet(recording) {
      const folder = await mkdtemp(join(tmpdir(), 'parley-interop-'))
      const file = join(folder, 'frames')
      const manner = spoken in SPOKEN ? [SPOKEN[spoken].join()] : spoken === 'replay' ? ['replay'] : []
      const args = [at('ours/server.js'), transport === 'stdio' ? 'stdio' : 'http', file, ...manner]
      const running = transport === 'stdio' ? undefined : await startProgram(args)
      const capabilities = { sampling: {}, roots: {}, ...(!('elicitation' in lacks) && { elicitation: {} }) }
      const subject = await makeClient(transport, capabilities)
      const { client, sdk } = subject
      const close = async () => {
        await client.close()
        await running?.stop()
        if (existsSync(file)) recording.addFile(file)
        await rm(folder, { recursive: true, force: true })
      }
      try {
        const connecting = client.connect(ways[transport](sdk, args, running?.url))
        await (version === undefined ? refusedWith(REFUSAL.theirs, connecting) : connecting)
        return { subject, close }
      } catch (error) {
        await close()
        throw error
      }
    },
  }
}
