/** What Parley's client is tried with on a server of the stateless era, where that differs from the one before. */
import assert from 'node:assert/strict'
import { GROWN, LINE, NOTE } from '../contract.js'
import { heard, namesOf, probes } from './our-client.js'

export const statelessProbes = {
  ...probes,
  /**
   * News have a stream of their own, the same as of resources; who subscribes to one of these learns when it is there.
   */
  async list_changed(client) {
    await heard(
      async (listener) => {
        const stop = client.onListChanged('tools', listener)
        const subscription = await client.subscribe(NOTE.uri, () => {})
        return async () => {
          stop()
          await subscription.unsubscribe()
        }
      },
      () => client.call('grow'),
    )
    assert.ok(namesOf(await client.tools()).includes(GROWN))
  },
  /** The level goes with each request; what is below it is not sent. */
  async logging(client) {
    const lines = []
    const stop = client.onLog(({ data }) => lines.push(JSON.stringify(data)))
    await client.setLogLevel('error')
    await client.call('log')
    await client.setLogLevel('info')
    await client.call('log')
    stop()
    assert.equal(lines.length, 1)
    assert.ok(lines[0].includes(LINE))
  },
}
