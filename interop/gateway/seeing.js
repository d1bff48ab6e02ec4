/** How a probe gets to see what it is about, in whichever era its client is. */
import assert from 'node:assert/strict'

export const isStateless = ({ version }) => version === '2026-07-28'

/** While the work is done, news of these kinds are wanted. */
export async function listening(peer, filter, work) {
  if (!isStateless(peer)) return await work()
  const subscription = await peer.client.listen(filter)
  assert.deepEqual(subscription.honoredFilter, filter)
  try {
    return await work()
  } finally {
    await subscription.close()
  }
}

/** While the work is done, news of a resource are wanted. */
export async function watching(peer, uri, work) {
  if (isStateless(peer)) return await listening(peer, { resourceSubscriptions: [uri] }, work)
  await peer.client.subscribeResource({ uri })
  const done = await work()
  await peer.client.unsubscribeResource({ uri })
  return done
}

/** What was said at a failure, which may be an error of the protocol or of the tool. */
export async function failureOf(calling) {
  const outcome = await calling.catch((error) => error)
  if (outcome instanceof Error) return outcome.message
  assert.equal(outcome.isError, true, `it was answered: ${JSON.stringify(outcome.content)}`)
  return outcome.content.map(({ text }) => text).join('\n')
}
