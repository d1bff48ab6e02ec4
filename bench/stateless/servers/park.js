/** Parley over HTTP with a tool that asks; calls wait where they are. */
import { importParley } from '../../checkout.js'
import { ready } from '../../transports/servers/child.js'
import { askingServer } from '../asking-server.js'

const { serveHttp } = await importParley('node')
ready((await serveHttp(await askingServer(), { port: 0, fastHttp: true })).port)
