#!/usr/bin/env node
/** The `parley` program: the command line on the streams of this process. */
import { setFlagsFromString } from 'node:v8'
import { gatewayInfo, invocation, processIo, runCli } from './cli/index.ts'

// What V8 sees living long while its nursery is still small, it later puts among the old at once, where every message
// on its way then keeps others alive: a third of what passing one on cost was collecting them.
setFlagsFromString('--no-allocation-site-pretenuring')

/** Commands whose purpose is what they do for others, not what they write. */
const SERVING: ReadonlySet<string | undefined> = new Set(['gateway', 'bridge'])

// Whoever reads may have read enough: `parley inspect … | head`. Who serves goes on, and learns elsewhere that its
// client is gone.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (SERVING.has(process.argv[2])) return
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})
// Nobody reads how it came to be: that is no reason to fail.
process.stderr.on('error', () => {})

process.exitCode = await runCli(process.argv.slice(2), {
  io: processIo(),
  version: gatewayInfo.version,
  program: invocation(process.argv[1], process.env),
})
