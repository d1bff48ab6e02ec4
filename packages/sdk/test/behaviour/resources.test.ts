/** Resources, prompts and completion end to end, in every version. */
import { describe, expect, it } from 'vitest'
import { createServer, resource } from '../../src/server.ts'
import { connect, everyVersion, flush, leaks } from '../../src/testing.ts'
import { everything } from './everything.ts'

everyVersion((version) => {
  /** D-54, D-57: the code of its own is no longer used. */
  const code = version < '2026-07-28' ? -32002 : -32602

  describe(`F2 resources (${version})`, () => {
    it('are listed, with those of templates, and read as text or bytes', async () => {
      await using client = await connect(everything(), { version })
      expect((await client.resources()).map((each) => each.uri).sort()).toEqual([
        'notes://picture',
        'notes://today',
        'users://ann/profile',
      ])
      expect((await client.templates()).map((each) => each.uriTemplate)).toEqual(['users://{id}/profile'])
      expect((await client.read('notes://today')).contents).toEqual([
        { uri: 'notes://today', mimeType: 'text/plain', text: 'buy milk' },
      ])
      expect((await client.read('notes://picture')).contents).toEqual([
        { uri: 'notes://picture', mimeType: 'image/png', blob: 'AQID' },
      ])
      const [profile] = (await client.read('users://bob/profile')).contents
      expect(profile).toMatchObject({ uri: 'users://bob/profile', text: expect.stringContaining('bob') })
    })

    it.each(['notes://none', 'users://nobody/profile', 'not a uri'])(
      'E3 D-54 that do not exist are not found: %j',
      async (uri) => {
        await using client = await connect(everything(), { version })
        await expect(client.read(uri)).rejects.toMatchObject({ code, kind: 'resource_not_found' })
      },
    )

    it('M7 tell exactly the subscribed sessions of changes, until they unsubscribe or end', async () => {
      const server = everything()
      const one = await connect(server, { version })
      await using two = await connect(server, { version })
      const heard: string[] = []
      const first = await one.subscribe('notes://today', (uri) => heard.push(`one ${uri}`))
      await one.subscribe('notes://picture', (uri) => heard.push(`one ${uri}`))
      await two.subscribe('notes://picture', (uri) => heard.push(`two ${uri}`))
      server.updated('notes://today')
      await flush()
      expect(heard).toEqual(['one notes://today'])
      await first.unsubscribe()
      server.updated('notes://today')
      await flush()
      expect(heard).toHaveLength(1)
      await one.close()
      server.updated('notes://picture')
      await flush()
      expect(heard).toEqual(['one notes://today', 'two notes://picture'])
      expect(leaks(one, one.serverSession)).toEqual([])
    })

    it('that do not exist cannot be subscribed to', async () => {
      await using client = await connect(everything(), { version })
      // D-30: a server that is asked to tell of many things leaves out what it cannot, and does not say why.
      const kind = version < '2026-07-28' ? 'resource_not_found' : 'subscription_failed'
      await expect(client.subscribe('notes://none', () => {})).rejects.toMatchObject({
        kind,
        message: expect.stringContaining('notes://none'),
      })
      expect(client.subscriptions()).toEqual([])
    })

    it('limits of subscriptions are told', async () => {
      const server = createServer({ name: 's', version: '1' }, { maxSubscriptions: 1 }).add(
        resource('a://{x}', {}, () => 'x'),
      )
      await using client = await connect(server, { version })
      await client.subscribe('a://1', () => {})
      await expect(client.subscribe('a://2', () => {})).rejects.toMatchObject({ kind: 'subscription_failed' })
    })
  })

  describe(`F3 F4 prompts and completion (${version})`, () => {
    it('prompts are listed and filled in', async () => {
      await using client = await connect(everything(), { version })
      const prompts = await client.prompts()
      expect(prompts.map((each) => each.name)).toEqual(['greet', 'listen'])
      expect(prompts[0]?.arguments).toEqual([{ name: 'name', required: true }, { name: 'tone' }])
      const { messages } = await client.prompt('greet', { name: 'Ann', tone: 'kind' })
      expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: 'Greet Ann in a kind tone' } }])
    })

    it('A-04 audio in a prompt becomes an embedded resource where there is no audio', async () => {
      await using client = await connect(everything(), { version })
      const { messages } = await client.prompt('listen')
      expect(messages[0]?.content.type).toBe(version < '2025-03-26' ? 'resource' : 'audio')
      expect(JSON.stringify(messages)).toContain('c291bmQ=')
    })

    it('unknown prompts, missing and surplus arguments are refused with -32602', async () => {
      await using client = await connect(everything(), { version })
      await expect(client.prompt('nope')).rejects.toMatchObject({ code: -32602, kind: 'prompt_not_found' })
      await expect(client.prompt('greet')).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining('name'),
      })
      await expect(client.prompt('greet', { name: 7 as never })).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining('string'),
      })
      await expect(client.prompt('greet', { name: 'Ann', shoe: '42' })).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining('shoe'),
      })
    })

    it('arguments are completed', async () => {
      await using client = await connect(everything(), { version })
      expect(await client.complete({ prompt: 'greet' }, { name: 'name', value: 'an' })).toEqual({
        values: ['Ann', 'Anton'],
        total: 2,
        hasMore: false,
      })
      expect((await client.complete({ resource: 'users://{id}/profile' }, { name: 'id', value: 'b' })).values).toEqual([
        'bob',
      ])
    })

    it('B-09 with what is filled in already, where the version carries it', async () => {
      await using client = await connect(everything(), { version })
      const { values } = await client.complete({ prompt: 'greet' }, { name: 'tone', value: '' }, { name: 'Bob' })
      expect(values).toEqual(version < '2025-06-18' ? ['kind'] : ['gruff'])
      expect(client.losses().some((loss) => loss.rule === 'B-09')).toBe(version < '2025-06-18')
    })

    it('for something unknown is refused with -32602', async () => {
      await using client = await connect(everything(), { version })
      await expect(client.complete({ prompt: 'nope' }, { name: 'a', value: '' })).rejects.toMatchObject({
        code: -32602,
      })
      await expect(client.complete({ type: 'ref/tool' } as never, { name: 'a', value: '' })).rejects.toMatchObject({
        code: -32602,
      })
    })
  })
})
