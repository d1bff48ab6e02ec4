import { it } from 'vitest'
import { createServer, tool } from '../server/index.ts'
import { connect, fakeClock, flush } from '../testing/index.ts'
it('x', async () => {
  const clock = fakeClock()
  const server = createServer({ name: 's', version: '1' }, { tasks: { pollInterval: '2s' } }).add(tool('may', { execution: { taskSupport: 'optional' } }, () => 'x'))
  const client = await connect(server, { version: '2026-07-28', clock })
  const calling = client.call('may').catch((e) => e)
  await flush()
  console.log(clock.pending)
  await clock.advance(2000)
  await clock.advance(2000)
  console.log(client.transcript.lines.join('\n'), clock.pending)
  await client.close()
  console.log(await calling)
}, 3000)
