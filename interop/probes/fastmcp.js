/** What Parley's client is tried with on fastmcp, where that differs from the rest. */
import assert from 'node:assert/strict'
import { GROWN, GROWN_NOTE } from '../contract.js'
import { heard, probes } from './our-client.js'

export const fastmcpProbes = {
  ...probes,
  /** It declares changes of resources and prompts, but not those of tools; what is not declared is not listened to. */
  async list_changed(client) {
    await heard(
      (listener) => client.onListChanged('resources', listener),
      () => client.call('grow'),
    )
    assert.ok((await client.resources()).some(({ uri }) => uri === GROWN_NOTE.uri))
    assert.ok((await client.tools()).some(({ name }) => name === GROWN))
  },
  /**
   * It asks for the roots not when it wants to know them but once in the beginning, over HTTP before anybody listens,
   * and when they have changed.
   */
  async roots(client, pair) {
    client.rootsChanged()
    await probes.roots(client, pair)
  },
}
