/** Parley over HTTP with a tool that asks; handlers are run again with the answers. */
import { serveHttp } from 'parley-mcp/node'
import { ready } from '../../transports/servers/child.js'
import { askingServer } from '../asking-server.js'

ready((await serveHttp(askingServer({ replay: true }), { port: 0 })).port)
