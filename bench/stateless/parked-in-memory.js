/**
 * Run with `--expose-gc`: parks calls at a server in this process, over a link that keeps nothing, and prints the bytes
 * of each batch.
 */
import { askingServer } from './asking-server.js'
import { looseServer } from './loose-server.js'
import { callAsking, stateIn } from './messages.js'

const [calls, batches] = process.argv.slice(2).map(Number)

/** Time for what was sent to be sealed, and for what is no longer needed to be found. */
async function settled() {
  const looks = []
  for (let look = 0; look < 3; look++) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    globalThis.gc()
    const { heapUsed, external } = process.memoryUsage()
    looks.push(heapUsed + external)
  }
  return Math.min(...looks)
}

const loose = looseServer(await askingServer(), { maxInFlight: calls + 1 })
let id = 1

async function park() {
  const before = loose.sent()
  const { id: _, ...request } = JSON.parse(callAsking.text)
  for (let at = 0; at < calls; at++) loose.deliver(JSON.stringify({ ...request, id: id++ }))
  while (loose.sent() < before + calls) await new Promise((resolve) => setImmediate(resolve))
  stateIn(loose.last())
}

await park()
const samples = []
for (let batch = 0; batch < batches; batch++) {
  const before = await settled()
  await park()
  samples.push(((await settled()) - before) / calls)
}
process.stdout.write(JSON.stringify(samples))
process.exit()
