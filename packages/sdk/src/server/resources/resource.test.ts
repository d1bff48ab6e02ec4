import { expectTypeOf } from 'expect-type'
import { describe, expect, it } from 'vitest'
import { ParleyError, ToolError } from '../../errors/index.ts'
import { flush } from '../../testing/clock.ts'
import { handshakeVersions } from '../../versions/index.ts'
import { rawClient } from '../raw-client.fixtures.ts'
import { createServer } from '../server.ts'
import type { VariablesOf } from '../uri/variables.ts'
import { notFound, resource } from './resource.ts'

const info = { name: 'test', version: '1.0.0' }

describe('F2 resource definitions', () => {
  it.each<[string, () => unknown, string]>([
    ['a relative URI', () => resource('a/b', {}, () => ''), 'Not an absolute URI'],
    ['a malformed template', () => resource('a://{b', {}, () => ''), 'Malformed URI template'],
    ['a list for a fixed URI', () => resource('a://b', { list: () => [] }, () => ''), '"list" is for templates'],
    ['a completer for a fixed URI', () => resource('a://b', { complete: {} }, () => ''), '"complete" is for templates'],
    [
      'a completer for no variable',
      () => resource('a://{b}' as string, { complete: { c: [] } }, () => ''),
      'has no variable "c"',
    ],
    ['no handler', () => resource('a://b', {}, undefined as never), 'has no handler'],
  ])('refuses %s', (_, define, message) => {
    expect(define).toThrow(message)
  })

  it('lists fixed ones and templates with what was declared, and names by default', async () => {
    const server = createServer(info).add(
      resource(
        'file:///a/b.txt',
        { title: 'B', mimeType: 'text/x', size: 3, annotations: { priority: 1 }, meta: { m: 1 } },
        () => '',
      ),
      resource('urn:isbn:1', { name: 'book', description: 'A book' }, () => ''),
      resource('users://{id}/profile', { description: 'Who it is', mimeType: 'application/json' }, () => ''),
    )
    const client = await rawClient(server)
    expect(await client.result('resources/list')).toEqual({
      resources: [
        {
          uri: 'file:///a/b.txt',
          name: 'b.txt',
          title: 'B',
          mimeType: 'text/x',
          size: 3,
          annotations: { priority: 1 },
          _meta: { m: 1 },
        },
        { uri: 'urn:isbn:1', name: 'book', description: 'A book' },
      ],
    })
    expect(await client.result('resources/templates/list')).toEqual({
      resourceTemplates: [
        {
          uriTemplate: 'users://{id}/profile',
          name: 'users://{id}/profile',
          description: 'Who it is',
          mimeType: 'application/json',
        },
      ],
    })
  })

  it('knows the variables of a template as types', () => {
    expectTypeOf<VariablesOf<'users://{id}/profile'>>().toExtend<{ id: string }>()
    expectTypeOf<VariablesOf<'a{/path*}{?q,page:3}'>>().toExtend<{ path?: string[]; q?: string; page?: string }>()
    expectTypeOf<VariablesOf<'a/{x,y}/{+rest}'>>().toExtend<{ x: string; y?: string; rest: string }>()
    expectTypeOf<keyof VariablesOf<'a://b'>>().toEqualTypeOf<never>()
    resource('users://{id}/posts{?page}', {}, (variables) => {
      expectTypeOf(variables.id).toEqualTypeOf<string>()
      expectTypeOf(variables.page).toEqualTypeOf<string | undefined>()
      // @ts-expect-error there is no such variable
      return variables.name
    })
    expect(resource('a://b', {}, () => null).key).toBe('a://b')
  })
})

describe('F2 what a handler returns', () => {
  const uri = 'x://y'
  it.each<[string, unknown, unknown]>([
    ['a string', 'hi', [{ uri, mimeType: 'text/plain', text: 'hi' }]],
    ['bytes', new Uint8Array([1]), [{ uri, mimeType: 'application/octet-stream', blob: 'AQ==' }]],
    ['text', { text: 'hi', mimeType: 'text/x' }, [{ uri, mimeType: 'text/x', text: 'hi' }]],
    ['a blob', { blob: 'AQ==' }, [{ uri, mimeType: 'application/octet-stream', blob: 'AQ==' }]],
    [
      'named bytes',
      { bytes: new Uint8Array([1]), mimeType: 'image/png' },
      [{ uri, mimeType: 'image/png', blob: 'AQ==' }],
    ],
    ['json', { json: { a: 1 } }, [{ uri, mimeType: 'application/json', text: '{"a":1}' }]],
    ['undefined as json', { json: undefined }, [{ uri, mimeType: 'application/json', text: 'null' }]],
    [
      'several',
      ['a', { uri: 'x://z', text: 'b', meta: { m: 1 } }],
      [
        { uri, mimeType: 'text/plain', text: 'a' },
        { uri: 'x://z', mimeType: 'text/plain', text: 'b', _meta: { m: 1 } },
      ],
    ],
    ['none', [], []],
    ['a promise', Promise.resolve('later'), [{ uri, mimeType: 'text/plain', text: 'later' }]],
  ])('%s', async (_, value, contents) => {
    const client = await rawClient(createServer(info).add(resource(uri, {}, () => value as string)))
    expect(await client.result('resources/read', { uri })).toEqual({ contents })
  })

  it('the definition’s type applies where the value names none', async () => {
    const client = await rawClient(createServer(info).add(resource(uri, { mimeType: 'text/markdown' }, () => '# hi')))
    expect(await client.result('resources/read', { uri })).toEqual({
      contents: [{ uri, mimeType: 'text/markdown', text: '# hi' }],
    })
  })

  it.each<[string, () => unknown]>([
    ['a number', () => 3],
    ['a cyclic object', () => ({ json: Object.assign([], [globalThis]) })],
    [
      'a thrown string',
      () => {
        throw 'secret'
      },
    ],
    [
      'a rejected promise',
      async () => {
        throw new Error('secret')
      },
    ],
  ])('E2 %s is masked and reported', async (_, handler) => {
    const reported: unknown[] = []
    const server = createServer(info, { onError: (error) => reported.push(error) }).add(
      resource(uri, {}, handler as () => string),
    )
    const client = await rawClient(server)
    expect(await client.error('resources/read', { uri })).toEqual({ code: -32603, message: 'Internal error' })
    expect(reported).toHaveLength(1)
    expect(client.frames.join()).not.toContain('secret')
  })

  it('shows the text of a ToolError, which was written to be read', async () => {
    const handler = () => {
      throw new ToolError('Database is down')
    }
    const client = await rawClient(createServer(info, { onError: () => {} }).add(resource(uri, {}, handler)))
    expect(await client.error('resources/read', { uri })).toEqual({ code: -32603, message: 'Database is down' })
  })
})

describe('F2 resources that are not there', () => {
  const server = createServer(info).add(
    resource('x://nothing', {}, () => undefined),
    resource('x://thrown', {}, async () => {
      throw notFound()
    }),
    resource('users://{id}', {}, ({ id }) => (id === '1' ? 'one' : null)),
  )

  it.each(handshakeVersions)('D-54 are -32002 with the URI in %s', async (version) => {
    const client = await rawClient(server, { version })
    for (const uri of ['x://nothing', 'x://thrown', 'x://unknown', 'users://2', 'users://1/x']) {
      expect(await client.error('resources/read', { uri })).toMatchObject({
        code: -32002,
        message: `Resource not found: ${uri}`,
        data: { uri },
      })
    }
    expect(await client.result('resources/read', { uri: 'users://1' })).toMatchObject({ contents: [{ text: 'one' }] })
  })

  it.each([undefined, 3, '', null, {}])('a URI that is %j is -32602', async (uri) => {
    const client = await rawClient(server)
    expect(await client.error('resources/read', { uri })).toMatchObject({ code: -32602 })
  })
})

describe('F2 templates', () => {
  it('give their variables, decoded, and a fixed URI wins', async () => {
    const server = createServer(info).add(
      resource('users://{id}/profile', {}, ({ id }) => ({ json: { id } })),
      resource('users://me/profile', {}, () => 'me'),
      resource('file:///{+path}', {}, ({ path }) => path),
    )
    const client = await rawClient(server)
    const read = async (uri: string) =>
      ((await client.result('resources/read', { uri }))['contents'] as { text: string }[])[0]?.text
    expect(await read('users://a%20b/profile')).toBe('{"id":"a b"}')
    expect(await read('users://me/profile')).toBe('me')
    expect(await read('file:///a/b/c')).toBe('a/b/c')
  })

  it('may tell which resources there are, page by page', async () => {
    const ids = ['1', '2', '3']
    const list = async () => ids.map((id) => ({ uri: `users://${id}` }))
    const server = createServer(info, { pageSize: 2 }).add(
      resource('x://fixed', {}, () => ''),
      resource('users://{id}', { mimeType: 'text/x', list }, () => ''),
    )
    const client = await rawClient(server)
    const first = await client.result('resources/list')
    expect(first['resources']).toEqual([
      { uri: 'x://fixed', name: 'fixed' },
      { uri: 'users://1', name: '1', mimeType: 'text/x' },
    ])
    ids.unshift('0')
    const second = await client.result('resources/list', { cursor: first['nextCursor'] })
    expect(second).toEqual({
      resources: [2, 3].map((id) => ({ uri: `users://${id}`, name: String(id), mimeType: 'text/x' })),
    })
  })

  it('E2 a list that fails is masked and reported', async () => {
    const reported: unknown[] = []
    const list = () => {
      throw new Error('secret')
    }
    const server = createServer(info, { onError: (error, { during }) => reported.push([error, during]) }).add(
      resource('users://{id}', { list }, () => ''),
    )
    const client = await rawClient(server)
    expect(await client.error('resources/list')).toEqual({ code: -32603, message: 'Internal error' })
    expect(reported).toEqual([[new Error('secret'), 'resources/list']])
  })
})

describe('M7 subscriptions', () => {
  const make = (options = {}) =>
    createServer(info, options).add(
      resource('x://a', {}, () => ''),
      resource('x://b', {}, () => ''),
      resource('x://silent', { subscribe: false }, () => ''),
      resource('users://{id}', {}, () => ''),
    )

  it('tell exactly the sessions that subscribed, once per turn', async () => {
    const server = make()
    const [one, two] = [await rawClient(server), await rawClient(server)]
    expect(await one.result('resources/subscribe', { uri: 'x://a' })).toEqual({})
    await one.result('resources/subscribe', { uri: 'users://7' })
    await two.result('resources/subscribe', { uri: 'x://b' })
    server.updated('x://a')
    server.updated('x://a')
    server.updated('users://7')
    server.updated('x://unheard-of')
    await flush()
    expect(one.of('notifications/resources/updated').map(({ params }) => params)).toEqual([
      { uri: 'x://a' },
      { uri: 'users://7' },
    ])
    expect(two.of('notifications/resources/updated')).toEqual([])
    server.updated('x://a')
    await flush()
    expect(one.of('notifications/resources/updated')).toHaveLength(3)
  })

  it('end when unsubscribed, and ending twice is fine', async () => {
    const server = make()
    const client = await rawClient(server)
    await client.result('resources/subscribe', { uri: 'x://a' })
    await client.result('resources/subscribe', { uri: 'x://a' })
    expect(server.subscriptions).toBe(1)
    for (let i = 0; i < 2; i++) expect(await client.result('resources/unsubscribe', { uri: 'x://a' })).toEqual({})
    server.updated('x://a')
    await flush()
    expect(client.of('notifications/resources/updated')).toEqual([])
    expect(server.subscriptions).toBe(0)
  })

  it('end with their session, however it ends', async () => {
    const server = make()
    for (let round = 0; round < 50; round++) {
      const client = await rawClient(server)
      await client.result('resources/subscribe', { uri: 'x://a' })
      await client.result('resources/subscribe', { uri: `users://${round}` })
      expect(server.subscriptions).toBe(2)
      if (round % 2 === 0) await client.close()
      else await client.session.close()
      expect(server.subscriptions).toBe(0)
      expect(server.sessions).toEqual([])
    }
  })

  it('are refused clearly', async () => {
    const client = await rawClient(make({ maxSubscriptions: 1 }))
    expect(await client.error('resources/subscribe', { uri: 'x://unknown' })).toMatchObject({
      code: -32002,
      data: { uri: 'x://unknown' },
    })
    expect(await client.error('resources/subscribe', { uri: 'x://silent' })).toMatchObject({
      code: -32602,
      data: { 'parley/kind': 'subscription_failed' },
    })
    await client.result('resources/subscribe', { uri: 'x://a' })
    await client.result('resources/subscribe', { uri: 'x://a' })
    expect(await client.error('resources/subscribe', { uri: 'x://b' })).toMatchObject({
      message: 'Subscription failed: a session may have 1 subscriptions',
    })
  })

  it('C1 are not offered when no resource can be subscribed to', async () => {
    const client = await rawClient(createServer(info).add(resource('x://a', { subscribe: false }, () => '')))
    expect(client.initialized['capabilities']).toMatchObject({ resources: { listChanged: true } })
    expect(await client.error('resources/subscribe', { uri: 'x://a' })).toMatchObject({ code: -32601 })
  })
})

it('notFound says which resource', () => {
  expect(notFound('x://y')).toBeInstanceOf(ParleyError)
  expect(notFound('x://y')).toMatchObject({ kind: 'resource_not_found', data: { uri: 'x://y' } })
})
