/** `npm start`: builds what is old, then runs the gateway in this process. */
import { fileURLToPath } from 'node:url'

const parent = process.ppid
await import('./built.js')
// npm may have been told to end while this process could not hear of it.
if (process.exitCode || process.ppid !== parent) process.exit()
const command = new URL('../packages/gateway/dist/cli.js', import.meta.url)
const config = 'examples/gateway/parley.json'
process.argv = [process.argv[0], fileURLToPath(command), 'gateway', '--config', config, ...process.argv.slice(2)]

await import(command.href)
