/**
 * The server the official suite is run against, in all versions at once: everything it asks for, on Parley's public
 * API.
 */
import { serveHttp } from 'parley-mcp/node'
import { createServer } from 'parley-mcp/server'
import { prompts } from './server/prompts.js'
import { questions } from './server/questions.js'
import { resources } from './server/resources.js'
import { rounds } from './server/rounds.js'
import { skills } from './server/skills.js'
import { changing, independent } from './server/stateless.js'
import { tasks } from './server/tasks.js'
import { tools } from './server/tools.js'

/**
 * With `versions` it speaks only those; with `stateless`, handlers that ask something are run again instead of being
 * suspended.
 */
export function startServer({ versions, stateless, ...options }) {
  const server = createServer(
    { name: 'parley-conformance', version: '1.0.0' },
    { stateless, ...(versions && { versions }) },
  )
  // The suite calls the first tool there is without arguments.
  server.add(
    ...tools,
    ...questions,
    ...rounds,
    ...independent,
    ...changing(server),
    ...tasks,
    ...resources,
    ...prompts,
    ...skills,
  )
  return serveHttp(server, options)
}
