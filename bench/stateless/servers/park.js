/** Parley over HTTP with a tool that asks; calls wait where they are. */
import { serveHttp } from 'parley-mcp/node'
import { ready } from '../../transports/servers/child.js'
import { askingServer } from '../asking-server.js'

ready((await serveHttp(askingServer(), { port: 0 })).port)
