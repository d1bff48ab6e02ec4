/**
 * The notes, served: `node examples/notes-server.js` over standard input and output, for clients that start it;
 * with `--http [--port 3000]` over HTTP; with `--file notes.json` they outlive the server; with `--only 2025-06-18` it
 * speaks no other version.
 */
import { parseArgs } from 'node:util'
import { closeOnSignals, serveHttp, serveStdio } from 'parley-mcp/node'
import { createNotes } from './notes.js'

const { values } = parseArgs({
  options: {
    http: { type: 'boolean' },
    port: { type: 'string', default: '3000' },
    file: { type: 'string' },
    only: { type: 'string' },
  },
})

function howToTry(url) {
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'curl', version: '1.0.0' } }
  const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: hello })
  return `Notes are served at ${url}, to clients of every version. Try in another terminal:

  node examples/client.js ${url}
  node examples/client.js ${url} add_note '{"title":"Milk","text":"Two bottles","tags":["shopping"]}'
  node examples/client.js ${url} find_notes '{"words":"milk"}'

  curl -i ${url} -H 'content-type: application/json' -H 'accept: application/json, text/event-stream' \\
    -d '${message}'

Ctrl-C ends it.`
}

try {
  const notes = createNotes({ file: values.file, versions: values.only && [values.only] })
  if (values.http) {
    const serving = await serveHttp(notes, { port: Number(values.port) })
    closeOnSignals(serving)
    console.log(howToTry(serving.url))
  } else {
    await serveStdio(notes)
  }
} catch (error) {
  console.error(error.message)
  process.exit(1)
}
