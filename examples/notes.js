/** A server that keeps notes: tools to write and find them, resources to read them, a prompt to sum them up. */
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, notFound, prompt, resource, ToolError, tool, user } from 'parley-mcp/server'
import { z } from 'zod'

const note = z.object({ id: z.string(), title: z.string(), text: z.string(), tags: z.array(z.string()) })

/** `file` is where notes are kept from one run to the next; without it they live as long as the server. */
export function createNotes({ file } = {}) {
  const notes = new Map(load(file).map((one) => [one.id, one]))
  const save = () => file !== undefined && writeFileSync(file, JSON.stringify([...notes.values()], null, 2))
  const tags = () => [...new Set([...notes.values()].flatMap((one) => one.tags))].sort()
  let lastId = Math.max(0, ...[...notes.keys()].map(Number))

  const addNote = tool(
    'add_note',
    {
      title: 'Add a note',
      input: z.object({ title: z.string().min(1), text: z.string(), tags: z.array(z.string()).default([]) }),
      output: note,
      annotations: { destructiveHint: false },
    },
    (given) => {
      const added = { id: String(++lastId), ...given }
      notes.set(added.id, added)
      save()
      server.updated('notes://all')
      return added
    },
  )

  const findNotes = tool(
    'find_notes',
    {
      title: 'Find notes',
      description: 'Notes that have the words in their title, text or tags',
      input: z.object({ words: z.string() }),
      output: z.object({ notes: z.array(note) }),
      annotations: { readOnlyHint: true },
    },
    ({ words }) => {
      const sought = words.toLowerCase().split(/\s+/)
      const holds = (one) => sought.every((word) => `${one.title} ${one.text} ${one.tags.join(' ')}`.toLowerCase().includes(word))
      return { notes: [...notes.values()].filter(holds) }
    },
  )

  const removeNote = tool(
    'remove_note',
    { title: 'Remove a note', input: z.object({ id: z.string() }), annotations: { destructiveHint: true, idempotentHint: true } },
    async ({ id }, ctx) => {
      const found = notes.get(id)
      if (found === undefined) throw new ToolError(`There is no note ${id}`)
      // Whoever cannot be asked has decided already.
      if (ctx.client.can('elicitation')) {
        const { action, content } = await ctx.elicit('sure', `Remove the note "${found.title}"?`, z.object({ sure: z.boolean() }))
        if (action !== 'accept' || !content.sure) return `The note "${found.title}" stays`
      }
      notes.delete(id)
      save()
      server.updated('notes://all')
      return `Removed the note "${found.title}"`
    },
  )

  const allNotes = resource('notes://all', { title: 'All notes', mimeType: 'text/markdown' }, () => [...notes.values()].map(asMarkdown).join('\n\n'))

  const oneNote = resource(
    'notes://note/{id}',
    {
      title: 'One note',
      mimeType: 'text/markdown',
      list: () => [...notes.values()].map(({ id, title }) => ({ uri: `notes://note/${id}`, name: id, title })),
      complete: { id: () => [...notes.keys()] },
    },
    ({ id }) => {
      const found = notes.get(id)
      if (found === undefined) throw notFound(`notes://note/${id}`)
      return asMarkdown(found)
    },
  )

  const sumUp = prompt(
    'sum_up',
    { title: 'Sum up notes', arguments: { tag: { description: 'Only notes with this tag', complete: () => tags() } } },
    ({ tag }) => {
      const chosen = [...notes.values()].filter((one) => tag === undefined || one.tags.includes(tag))
      return user(`Sum up these notes in three sentences:\n\n${chosen.map(asMarkdown).join('\n\n') || '(none)'}`)
    },
  )

  const server = createServer({ name: 'notes', version: '1.0.0', title: 'Notes' }).add(addNote, findNotes, removeNote, allNotes, oneNote, sumUp)
  return server
}

function asMarkdown({ title, text, tags }) {
  return `# ${title}\n\n${text}${tags.length === 0 ? '' : `\n\n${tags.map((tag) => `#${tag}`).join(' ')}`}`
}

function load(file) {
  if (file === undefined) return []
  try {
    return z.array(note).parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    if (error.code === 'ENOENT') return []
    throw new Error(`${file} holds no notes: ${error.message}`)
  }
}
