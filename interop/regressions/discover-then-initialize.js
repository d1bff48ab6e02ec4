/** A client that asks `server/discover`, gets an answer, and then sends `initialize` on the same pipe all the same. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'regression', version: '1.0.0' },
}

/** Lines to and from a program that is ended by the end of its input. */
function startPipe(command, args) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] })
  const ended = once(child, 'close')
  const waiting = new Map()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, result, error } = JSON.parse(line)
    waiting.get(id)?.({ result, error })
  })
  const write = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  let last = 0
  return {
    notify: (method) => write({ method }),
    async request(method, params) {
      const id = ++last
      const answered = new Promise((resolve) => waiting.set(id, resolve))
      write({ id, method, params })
      const { result, error } = await Promise.race([
        answered,
        ended.then(() => ({ error: { message: 'the program ended' } })),
      ])
      assert.equal(error, undefined, `${method}: ${error?.message}`)
      return result
    },
    async close() {
      child.stdin.end()
      const timer = setTimeout(() => child.kill('SIGKILL'), 5000)
      await ended
      clearTimeout(timer)
    },
  }
}

/** Throws unless both are answered and the handshake decides for what follows. `echo`: the name of the tool. */
export async function discoverThenInitialize({ command, args }, version, echo) {
  const pipe = startPipe(command, args)
  try {
    const discovered = await pipe.request('server/discover', { _meta: META })
    assert.ok(discovered.supportedVersions.includes('2026-07-28'), 'discover does not name 2026-07-28')
    const clientInfo = { name: 'regression', version: '1.0.0' }
    const opened = await pipe.request('initialize', { protocolVersion: version, capabilities: {}, clientInfo })
    assert.equal(opened.protocolVersion, version)
    pipe.notify('notifications/initialized')
    const { tools, resultType } = await pipe.request('tools/list', {})
    assert.ok(
      tools.some(({ name }) => name === echo),
      `${echo} is not listed`,
    )
    assert.equal(resultType, undefined, 'the list is one of 2026-07-28')
    const { content } = await pipe.request('tools/call', { name: echo, arguments: { text: 'grüße 🎈' } })
    assert.equal(content[0].text, 'grüße 🎈')
  } finally {
    await pipe.close()
  }
}
