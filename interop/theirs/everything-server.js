/** The reference server with everything in it, on a port of its own: `everything-server.js http|sse`. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { freePort } from './free-port.js'

const EVERYTHING = fileURLToPath(
  new URL('../../node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url),
)

const modes = {
  http: { name: 'streamableHttp', path: '/mcp' },
  sse: { name: 'sse', path: '/sse' },
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { name, path } = modes[process.argv[2]]
  const port = await freePort()
  const child = spawn(process.execPath, [EVERYTHING, name], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      const before = output.includes(String(port))
      output = `${output}${chunk}`.slice(0, 10_000)
      if (!before && output.includes(String(port))) console.log(`Listening at http://127.0.0.1:${port}${path}`)
    })
  }
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  child.once('close', (code) => process.exit(code ?? 0))
}
