/** A server of the stateless era made of raw frames, for tests of what a client does with what it is told. */
import { type Body, isObject, type Link, type SendOptions } from '../jsonrpc/index.ts'
import { memoryPair } from '../transport/index.ts'
import { META } from '../versions/index.ts'
import { ALL, type RawMessage } from './raw-server.fixtures.ts'

/** A result; `{ error }` for an error; `undefined` for no answer at all. */
type RawAnswer = (params: Body, message: RawMessage) => Body | undefined

export interface RawStatelessOptions {
  version?: string
  capabilities?: Body
  instructions?: string
  answers?: Record<string, RawAnswer>
  /** What is agreed to of what is asked; `undefined` says nothing at all. Default: everything. */
  agree?: (filter: Body) => Body | undefined
  /** Whether messages have headers, as on HTTP. */
  mirrors?: boolean
}

export interface RawStateless {
  readonly link: Link
  readonly received: RawMessage[]
  /** What the client sent of one method. */
  of(method: string): RawMessage[]
  /** The headers that went with each frame. */
  readonly headers: (SendOptions['headers'] | undefined)[]
  send(message: Body | string): void
  /** Ids of streams that are open, oldest first. */
  readonly listening: (string | number)[]
  /** What each of them was asked for, in the order they were opened. */
  readonly filters: Body[]
  acknowledge(id: string | number, filter: Body): void
  /** Changes on a stream; by default on all that are open. */
  tell(method: string, params?: Body, id?: string | number): void
  /** Ends all streams: with an answer, or with an error. */
  end(error?: { code: number; message: string }): void
  /** Closes the link. */
  lose(): void
  readonly closed: boolean
}

export function rawStateless(options: RawStatelessOptions = {}): RawStateless {
  const {
    version = '2026-07-28',
    capabilities = ALL,
    instructions,
    answers = {},
    agree = (filter) => filter,
    mirrors = false,
  } = options
  const [near, own] = memoryPair()
  const received: RawMessage[] = []
  const headers: RawStateless['headers'] = []
  const listening: (string | number)[] = []
  const filters: Body[] = []
  let closed = false

  const send = (message: Body | string): void =>
    own.send(typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', ...message }))
  const acknowledge: RawStateless['acknowledge'] = (id, filter) =>
    send({
      method: 'notifications/subscriptions/acknowledged',
      params: { _meta: { [META.subscription]: id }, notifications: filter },
    })

  const discover: RawAnswer = () => ({
    supportedVersions: [version],
    capabilities,
    ...(instructions === undefined ? {} : { instructions }),
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { [META.serverInfo]: { name: 'raw', version: '26' } },
  })
  const listen: RawAnswer = (params, { id }) => {
    const filter = params['notifications'] as Body
    filters.push(filter)
    listening.push(id as number)
    const agreed = agree(filter)
    if (agreed !== undefined) acknowledge(id as number, agreed)
    return undefined
  }
  const all: Record<string, RawAnswer> = { 'server/discover': discover, 'subscriptions/listen': listen, ...answers }

  const forget = (id: unknown): void => {
    const at = listening.indexOf(id as number)
    if (at >= 0) listening.splice(at, 1)
  }

  own.open({
    frame(text) {
      const message = JSON.parse(text) as RawMessage
      received.push(message)
      if (message.method === 'notifications/cancelled') return forget(message.params?.['requestId'])
      if (message.id === undefined || message.method === undefined) return
      const answer = all[message.method]
      const result =
        answer === undefined
          ? { error: { code: -32601, message: 'no such method' } }
          : answer(message.params ?? {}, message)
      if (result === undefined) return
      send(
        'error' in result
          ? { id: message.id, ...result }
          : { id: message.id, result: { resultType: 'complete', ...result } },
      )
    },
    closed() {
      closed = true
    },
  })

  const link: Link = {
    transport: near.transport,
    mirrors,
    open: (events) => near.open(events),
    send(frame, about) {
      headers.push(about?.headers)
      near.send(frame, about)
    },
    close: () => near.close(),
  }

  return {
    link,
    received,
    of: (method) => received.filter((message) => message.method === method),
    headers,
    send,
    listening,
    filters,
    acknowledge,
    tell(method, params = {}, id) {
      for (const each of id === undefined ? listening : [id]) {
        const meta = isObject(params['_meta']) ? params['_meta'] : {}
        send({ method, params: { ...params, _meta: { ...meta, [META.subscription]: each } } })
      }
    },
    end(error) {
      for (const id of listening.splice(0))
        send(
          error === undefined
            ? { id, result: { resultType: 'complete', _meta: { [META.subscription]: id } } }
            : { id, error },
        )
    },
    lose: () => own.close(),
    get closed() {
      return closed
    },
  }
}
