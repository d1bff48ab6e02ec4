/**
 * What a client of the official SDK is tried with on Parley's server in the stateless era, where that differs from the
 * one before.
 */
import assert from 'node:assert/strict'
import { GROWN, LINE, NOTE } from '../contract.js'
import { call, heard, namesOf, theirProbes } from './their-client.js'

const LEVEL = 'io.modelcontextprotocol/logLevel'

export const theirStatelessProbes = {
  ...theirProbes,
  async initialize({ client }, { version }) {
    assert.equal(client.getServerVersion().name, 'parley-interop')
    assert.equal(client.getNegotiatedProtocolVersion(), version)
    assert.ok((await client.discover()).supportedVersions.includes(version))
  },
  async subscribe(peer) {
    const subscription = await peer.client.listen({ resourceSubscriptions: [NOTE.uri] })
    assert.deepEqual(subscription.honoredFilter, { resourceSubscriptions: [NOTE.uri] })
    const { params } = await heard(peer, 'ResourceUpdatedNotificationSchema', () => call(peer, 'touch'))
    assert.equal(params.uri, NOTE.uri)
    await subscription.close()
  },
  async list_changed(peer) {
    const subscription = await peer.client.listen({ toolsListChanged: true })
    assert.deepEqual(subscription.honoredFilter, { toolsListChanged: true })
    await heard(peer, 'ToolListChangedNotificationSchema', () => call(peer, 'grow'))
    await subscription.close()
    assert.ok(namesOf((await peer.client.listTools()).tools).includes(GROWN))
  },
  /** Only who asks for it with the request hears of it. */
  async logging(peer) {
    const lines = []
    peer.client.setNotificationHandler(peer.sdk.LoggingMessageNotificationSchema, ({ params }) =>
      lines.push(params.data),
    )
    const log = (meta) => peer.callTool({ name: 'log', arguments: {}, ...(meta && { _meta: meta }) })
    await log()
    await log({ [LEVEL]: 'error' })
    await log({ [LEVEL]: 'info' })
    assert.deepEqual(lines, [LINE])
  },
}
