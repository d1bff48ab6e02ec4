/** Parley itself: one server value for all sessions, each over its own in-memory link. */
import { entryOf } from '../checkout.js'
import { clientIdentity, description, forecast, identity, input, manyTools, outlook, output } from '../subject.js'

/** One page, as the others answer in one message. */
const options = { pageSize: manyTools.length }

/** Parley as a checkout has built it. */
export async function parleyOf({ root, nameOf }) {
  const { connect } = await import(entryOf(root, 'client'))
  const { createServer, tool } = await import(entryOf(root, 'server'))

  const makeServer = (tools) =>
    createServer(identity, options).add(
      ...tools.map(({ name, description, input }) => tool(name, { description, input }, () => '')),
    )
  const shared = createServer(identity, options).add(
    tool('forecast', { description, input, output }, forecast),
    tool('outlook', { description, input }, outlook),
  )

  return {
    name: nameOf('parley'),
    package: 'parley-mcp',

    async open({ tools, tap } = {}) {
      const client = await connect(tools === undefined ? shared : makeServer(tools), {
        info: clientIdentity,
        version: '2025-11-25',
        ...(tap === undefined ? {} : { tap: (_, text) => tap(text) }),
      })
      return {
        call: (given) => client.call('forecast', given),
        ask: (given) => client.call('outlook', given),
        list: () => client.tools(),
        close: () => client.close(),
      }
    },
  }
}
