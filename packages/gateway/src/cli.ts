#!/usr/bin/env node
/** The `parley` program: the command line on the streams of this process. */
import { readFileSync } from 'node:fs'
import { processIo, runCli } from './cli/index.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }

// Whoever reads may have read enough: `parley inspect … | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})

process.exitCode = await runCli(process.argv.slice(2), { io: processIo(), version })
