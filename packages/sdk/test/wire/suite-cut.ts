/** A wire that can be cut: passes bytes on to a port, until it is told not to. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface Cuttable {
  readonly port: number
  /** Breaks every connection at once and lets nobody in any more. */
  cut(): void
}

export async function cuttable(port: number): Promise<Cuttable> {
  const sockets = new Set<Socket>()
  const track = (socket: Socket): Socket => {
    sockets.add(socket)
    return socket.on('error', () => {}).once('close', () => sockets.delete(socket))
  }
  const listener = createServer({ noDelay: true }, (near) => {
    const far = track(connect({ port, host: '127.0.0.1', noDelay: true }))
    track(near)
    near.pipe(far).pipe(near)
    near.once('close', () => far.destroy())
    far.once('close', () => near.destroy())
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  return {
    port: (listener.address() as AddressInfo).port,
    cut() {
      listener.close()
      for (const socket of sockets) socket.resetAndDestroy()
    },
  }
}
