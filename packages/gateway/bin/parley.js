#!/usr/bin/env node
/**
 * The command, at a place that is there before anything is built: npm links no command to a file that is missing when
 * it installs.
 */
import { existsSync } from 'node:fs'

const program = new URL('../dist/cli.js', import.meta.url)
if (existsSync(program)) await import(program.href)
else {
  console.error('error: parley has not been built yet\nhint: npm run build')
  process.exitCode = 1
}
