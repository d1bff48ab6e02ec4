#!/usr/bin/env node
/** The `parley` program: the command line on the streams of this process. */
import { setFlagsFromString } from 'node:v8'
import { gatewayInfo, invocation, processIo, runCli } from './cli/index.ts'

// While its young generation is small, V8 marks some allocation sites as long-lived. Later it allocates their objects in
// the old generation, where garbage of each message keeps others alive. Collecting it took a third of the time per message.
setFlagsFromString('--no-allocation-site-pretenuring')

/** Commands that serve clients. Their own output does not matter. */
const SERVING: ReadonlySet<string | undefined> = new Set(['gateway', 'bridge'])

// A reader may stop reading, such as `parley inspect … | head`. A serving command continues, and its transport
// reports the lost client.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (SERVING.has(process.argv[2])) return
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})
// A closed standard error is no reason to fail.
process.stderr.on('error', () => {})

process.exitCode = await runCli(process.argv.slice(2), {
  io: processIo(),
  version: gatewayInfo.version,
  program: invocation(process.argv[1], process.env),
})
