/**
 * How to test a server: in memory, without ports or processes, in every protocol version. Any test runner will do; this
 * one is vitest.
 */
import { answers, connect, everyVersion, leaks } from 'parley-mcp/testing'
import { describe, expect, it } from 'vitest'
import { createNotes } from './notes.js'

describe('the notes', () => {
  everyVersion({
    name: 'are found by their words',
    test: it,
    async run(version) {
      const client = await connect(createNotes(), { version })
      await client.call('add_note', { title: 'Milk', text: 'Two bottles', tags: ['shopping'] })
      await client.call('add_note', { title: 'Call Ada', text: 'About the engine' })

      const { text } = await client.call('find_notes', { words: 'bottles shopping' })
      expect(JSON.parse(text).notes.map(({ title }) => title)).toEqual(['Milk'])

      await client.close()
      expect(leaks(client)).toEqual([])
    },
  })

  it('are refused without a title, in words a model can act on', async () => {
    const client = await connect(createNotes())
    await expect(client.call('add_note', { title: '', text: '' })).rejects.toThrow(/title/)
    await client.close()
  })

  it('are removed only when the user is sure', async () => {
    const elicit = answers([{ sure: false }, { sure: true }])
    const client = await connect(createNotes(), { elicit })
    await client.call('add_note', { title: 'Milk', text: 'Two bottles' })

    expect((await client.call('remove_note', { id: '1' })).text).toBe('The note "Milk" stays')
    expect((await client.call('remove_note', { id: '1' })).text).toBe('Removed the note "Milk"')
    expect(elicit.asked).toEqual(['Remove the note "Milk"?', 'Remove the note "Milk"?'])
    elicit.done()
    await client.close()
  })

  it('tell subscribers of changes', async () => {
    const client = await connect(createNotes())
    let subscribed
    const changed = new Promise((resolve) => {
      subscribed = client.subscribe('notes://all', resolve)
    })
    await subscribed
    await client.call('add_note', { title: 'Milk', text: 'Two bottles' })
    await changed
    expect((await client.read('notes://all')).contents[0].text).toBe('# Milk\n\nTwo bottles')
    await client.close()
  })

  it('look like this on the wire', async () => {
    const client = await connect(createNotes(), { version: '2024-11-05' })
    await client.call('add_note', { title: 'Milk', text: 'Two bottles' })
    expect(client.transcript.lines.at(-2)).toBe(
      '→ tools/call #2 {"name":"add_note","arguments":{"title":"Milk","text":"Two bottles"}}',
    )
    await client.close()
  })
})
