/** A server that keeps notes: tools to write and find them, resources to read them, a prompt to sum them up. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { createServer, notFound, prompt, resource, ToolError, tool, user } from 'parley-mcp/server'
import { z } from 'zod'

const note = z.object({ id: z.string(), title: z.string(), text: z.string(), tags: z.array(z.string()) })
const title = z.string().min(1)
const newNote = z.object({
  title: title.meta({ examples: ['Milk'] }),
  text: z.string().meta({ examples: ['Two bottles'] }),
  tags: z.array(z.string()).default([]),
})

/**
 * `file` is where notes are kept from one run to the next, also when several servers share it; without it they live as
 * long as the server.
 */
export function createNotes({ file, versions } = {}) {
  const book = file === undefined ? inMemory() : inFile(file)
  const tags = () => [...new Set(book.all().flatMap((one) => one.tags))].sort()
  const find = (id) => book.all().find((one) => one.id === id)

  const addNote = tool(
    'add_note',
    {
      title: 'Add a note',
      description: 'Keeps a note, with tags if there are any',
      input: newNote,
      output: note,
      annotations: { destructiveHint: false },
    },
    (given) => {
      const kept = book.all()
      const added = { id: String(1 + Math.max(0, ...kept.map((one) => Number(one.id)))), ...given }
      book.keep([...kept, added])
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
      const holds = (one) =>
        sought.every((word) => `${one.title} ${one.text} ${one.tags.join(' ')}`.toLowerCase().includes(word))
      return { notes: book.all().filter(holds) }
    },
  )

  const removeNote = tool(
    'remove_note',
    {
      title: 'Remove a note',
      description: 'Removes a note for good, when the user is sure',
      input: z.object({ id: z.string() }),
      annotations: { destructiveHint: true, idempotentHint: true },
    },
    async ({ id }, ctx) => {
      const found = find(id)
      if (found === undefined) throw new ToolError(`There is no note ${id}`)
      // Whoever cannot be asked has decided already.
      if (ctx.client.can('elicitation')) {
        const { action, content } = await ctx.elicit(
          'sure',
          `Remove the note "${found.title}"?`,
          z.object({ sure: z.boolean() }),
        )
        if (action !== 'accept' || !content.sure) return `The note "${found.title}" stays`
      }
      book.keep(book.all().filter((one) => one.id !== id))
      server.updated('notes://all')
      return `Removed the note "${found.title}"`
    },
  )

  const allNotes = resource('notes://all', { title: 'All notes', mimeType: 'text/markdown' }, () =>
    book.all().map(asMarkdown).join('\n\n'),
  )

  const oneNote = resource(
    'notes://note/{id}',
    {
      title: 'One note',
      mimeType: 'text/markdown',
      list: () => book.all().map(({ id, title }) => ({ uri: `notes://note/${id}`, name: id, title })),
      complete: { id: () => book.all().map(({ id }) => id) },
    },
    ({ id }) => {
      const found = find(id)
      if (found === undefined) throw notFound(`notes://note/${id}`)
      return asMarkdown(found)
    },
  )

  const sumUp = prompt(
    'sum_up',
    { title: 'Sum up notes', arguments: { tag: { description: 'Only notes with this tag', complete: () => tags() } } },
    ({ tag }) => {
      const chosen = book.all().filter((one) => tag === undefined || one.tags.includes(tag))
      return user(`Sum up these notes in three sentences:\n\n${chosen.map(asMarkdown).join('\n\n') || '(none)'}`)
    },
  )

  const server = createServer(
    { name: 'notes', version: '1.0.0', title: 'Notes' },
    { ...(versions && { versions }) },
  ).add(addNote, findNotes, removeNote, allNotes, oneNote, sumUp)
  return server
}

function asMarkdown({ title, text, tags }) {
  return `# ${title}\n\n${text}${tags.length === 0 ? '' : `\n\n${tags.map((tag) => `#${tag}`).join(' ')}`}`
}

function inMemory() {
  let notes = []
  return {
    all: () => notes,
    keep(changed) {
      notes = changed
    },
  }
}

/** Read anew each time, because another server may have written to it. */
function inFile(file) {
  const all = () => load(file)
  all()
  return {
    all,
    keep(changed) {
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, JSON.stringify(changed, null, 2))
    },
  }
}

function load(file) {
  try {
    return z.array(note).parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    if (error.code === 'ENOENT') return []
    throw new Error(`${file} holds no notes: ${error.message}`)
  }
}
