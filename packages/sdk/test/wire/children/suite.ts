/** The server of the transport suite as a process. */
import { serveStdio } from '../../../src/node/index.ts'
import { suiteServer } from '../suite-server.ts'

await serveStdio(suiteServer())
