/** A server that knows just enough of MCP to begin, and then does what its first argument says. Written without the SDK, which would behave. */
import { spawn } from 'node:child_process'
import { closeSync } from 'node:fs'

const [mode] = process.argv.slice(2)
const say = (bytes) => process.stdout.write(bytes)
const frame = (message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`
const stayForEver = () => setInterval(() => {}, 60_000)

/** What is said before anything was asked. */
const beginnings = {
  'dies at once': () => {
    console.error('cannot find settings.json')
    process.exit(3)
  },
  garbage: () => {
    say('Server v1.0 running on stdio\n\n{"not": "json-rpc"}\n[1,2\n')
    say(Buffer.from([0x22, 0xc3, 0x28, 0x22, 10]))
  },
  'ignores everything': () => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => {})
    stayForEver()
  },
  'leaves a grandchild': () => grandchild('setInterval(() => {}, 60000)'),
  'leaves a stubborn grandchild': () =>
    grandchild(`process.on('SIGTERM', () => {}); process.send?.('up'); setInterval(() => {}, 60000)`),
  // It holds no pipe that would keep whoever started all this awake.
  'leaves a quiet grandchild': () =>
    spawn(process.execPath, ['-e', 'setInterval(() => {}, 60000)'], { stdio: 'ignore' }).unref(),
  'closes its input': () => {
    process.stdin.once('close', () => {
      closeSync(0)
      console.error('closed')
    })
    process.stdin.destroy()
    stayForEver()
  },
}

/** It inherits the pipes, so they stay open after its parent is gone. */
function grandchild(program) {
  spawn(process.execPath, ['-e', program], { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] }).unref()
}

const text = (value) => ({ content: [{ type: 'text', text: value }] })

/** How tools/call is answered. */
const answers = {
  garbage: (id) => say(`thinking…\n${frame({ id, result: text('found') })}done\n`),
  'dies mid-answer': (id) => {
    console.error('out of luck')
    say(frame({ id, result: text('x'.repeat(2000)) }).slice(0, 1000))
    process.stdout.write('', () => process.exit(7))
  },
  'is killed mid-answer': () => process.kill(process.pid, 'SIGKILL'),
  'closes its output': () => {
    process.stdout.end()
    process.stdout.destroy()
    closeSync(1)
    stayForEver()
  },
  'answers in pieces': (id) => {
    const bytes = Buffer.from(frame({ id, result: text('Tromsø 🌲') }).replace('\n', '\r\n'))
    let at = 0
    const next = () => at < bytes.length && process.stdout.write(bytes.subarray(at, ++at), () => setImmediate(next))
    next()
  },
  'answers with 300 MB': (id) => {
    const piece = Buffer.alloc(1024 * 1024, 'x')
    let left = 300
    say(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`)
    const next = () => (left-- > 0 ? process.stdout.write(piece, next) : say('"}]}}\n'))
    next()
  },
}

const ordinary = (id) => say(frame({ id, result: text('ok') }))

let rest = ''
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  const lines = (rest + chunk).split('\n')
  rest = lines.pop()
  for (const line of lines) answer(JSON.parse(line))
})

beginnings[mode]?.()

function answer({ id, method, params }) {
  if (id === undefined) return
  if (method === 'initialize') {
    const { protocolVersion } = params
    return say(
      frame({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: mode, version: '1' } } }),
    )
  }
  if (method === 'tools/call' && params.name !== 'ordinary') return (answers[mode] ?? ordinary)(id)
  if (method === 'tools/call') return ordinary(id)
  say(
    frame({ id, result: method === 'tools/list' ? { tools: [{ name: 'act', inputSchema: { type: 'object' } }] } : {} }),
  )
}
