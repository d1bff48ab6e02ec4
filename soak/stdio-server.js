/** Serves over standard input and output. */
import { serveStdio } from 'parley-mcp/node'
import { createSubject } from './subject.js'

await serveStdio(createSubject())
