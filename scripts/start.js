/** `npm start`: builds what is old, then runs the gateway in this process, and ends it when npm is ended. */
import { fileURLToPath } from 'node:url'
import './built.js'

if (process.exitCode) process.exit()
const command = new URL('../packages/gateway/dist/cli.js', import.meta.url)
const config = 'examples/gateway/parley.json'
process.argv = [process.argv[0], fileURLToPath(command), 'gateway', '--config', config, ...process.argv.slice(2)]

// npm ends the shell that it started, and many shells do not hand the signal on. A process whose parent is gone has another one.
const parent = process.ppid
const watch = setInterval(() => {
  if (process.ppid === parent) return
  clearInterval(watch)
  process.kill(process.pid, 'SIGTERM')
}, 250)
watch.unref()

await import(command.href)
