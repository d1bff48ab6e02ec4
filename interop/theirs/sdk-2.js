/** The official SDK of the second generation, as a client that looks for the newest protocol first and then makes do with a handshake. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

/** Here messages go by their method, which its first generation had schemas for. */
const sdk = {
  StdioClientTransport,
  StreamableHTTPClientTransport,
  CreateMessageRequestSchema: 'sampling/createMessage',
  ElicitRequestSchema: 'elicitation/create',
  ListRootsRequestSchema: 'roots/list',
  ResourceUpdatedNotificationSchema: 'notifications/resources/updated',
  ToolListChangedNotificationSchema: 'notifications/tools/list_changed',
  LoggingMessageNotificationSchema: 'notifications/message',
}

export const SECOND = {
  title: 'SDK 2.4',
  version: '2025-11-25',
  transports: ['stdio', 'http'],
  lacks: [],
  /** It gives errors the codes they have in the newest protocol, whatever came over the wire. */
  notFound: -32602,
  async makeClient(_, capabilities) {
    const client = new Client({ name: 'sdk-2', version: '1.0.0' }, { capabilities, versionNegotiation: { mode: 'auto' } })
    return { client, sdk, callTool: (params, options) => client.callTool(params, options) }
  },
}
