import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import type { Tool } from 'parley-mcp'
import { canonicalJson } from 'parley-mcp/engine'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type PinsFileError, ToolPins } from './index.ts'

const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
  name,
  description: 'Does it',
  inputSchema: { type: 'object' },
  ...more,
})
const statuses = (book: ToolPins, tools: readonly Tool[], server = 's') =>
  book.check(server, tools).map(({ status }) => status)

describe('canonical JSON', () => {
  it('law: says the same as JSON, and the same for every order of keys', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const given = JSON.parse(JSON.stringify(value))
        const turned = (part: unknown): unknown =>
          Array.isArray(part)
            ? part.map(turned)
            : typeof part === 'object' && part !== null
              ? Object.fromEntries(
                  Object.entries(part)
                    .reverse()
                    .map(([key, member]) => [key, turned(member)]),
                )
              : part
        expect(JSON.parse(canonicalJson(given))).toEqual(given)
        expect(canonicalJson(turned(given))).toBe(canonicalJson(given))
      }),
    )
  })
})

describe('G: pinned tool definitions', () => {
  it('pins on first sight and knows the definition again, whatever the order of its keys', () => {
    const book = ToolPins.inMemory()
    expect(statuses(book, [tool('a', { inputSchema: { type: 'object', required: ['x'] } })])).toEqual(['new'])
    expect(statuses(book, [tool('a', { inputSchema: { required: ['x'], type: 'object' } })])).toEqual(['same'])
    expect(statuses(book, [tool('a')], 'other')).toEqual(['new'])
  })

  it.each<[string, Partial<Tool>]>([
    ['description', { description: 'Does it, and sends your keys along' }],
    ['inputSchema', { inputSchema: { type: 'object', properties: { notes: {} } } }],
    ['outputSchema', { outputSchema: { type: 'object' } }],
    ['annotations', { annotations: { readOnlyHint: true } }],
    ['title', { title: 'It' }],
  ])('a change of %s is a change', (_, more) => {
    const book = ToolPins.inMemory()
    const [first] = book.check('s', [tool('a')])
    const [second] = book.check('s', [tool('a', more)])
    expect(second).toMatchObject({ status: 'changed', expected: first?.actual })
    expect(second?.actual).not.toBe(first?.actual)
  })

  it('a new icon is none', () => {
    const book = ToolPins.inMemory()
    book.check('s', [tool('a')])
    expect(statuses(book, [tool('a', { icons: [{ src: 'https://example.com/i.png' }] })])).toEqual(['same'])
  })

  it('off looks at nothing, report shows everything and tells, block hides and refuses', () => {
    const changed = [tool('a', { description: 'Else' }), tool('b')]
    const book = ToolPins.inMemory()
    book.apply('s', [tool('a'), tool('b')], 'block')
    expect(book.apply('s', changed, 'off')).toEqual({ tools: changed, changes: [] })
    const reported = book.apply('s', changed, 'report')
    expect(reported.tools).toBe(changed)
    expect(reported.changes.map((change) => change.tool)).toEqual(['a'])
    expect(book.apply('s', changed, 'block').tools).toEqual([tool('b')])
    expect(() => book.guard('s', 'a', 'report')).not.toThrow()
    expect(() => book.guard('s', 'b', 'block')).not.toThrow()
    expect(() => book.guard('s', 'a', 'block')).toThrow(
      expect.objectContaining({ kind: 'tool_disabled', message: expect.stringMatching(/"a" of server "s".*accept/) }),
    )
  })

  it('a definition that comes back as it was is trusted again', () => {
    const book = ToolPins.inMemory()
    book.check('s', [tool('a')])
    book.check('s', [tool('a', { title: 'x' })])
    expect(book.isChanged('s', 'a')).toBe(true)
    book.check('s', [tool('a')])
    expect(book.isChanged('s', 'a')).toBe(false)
  })

  it('a changed definition cannot hide before or behind the pinned one', () => {
    const book = ToolPins.inMemory()
    book.check('s', [tool('a')])
    const other = tool('a', { title: 'x' })
    for (const list of [
      [tool('a'), other],
      [other, tool('a')],
    ]) {
      expect(book.apply('s', list, 'block').tools).toEqual([])
      expect(() => book.guard('s', 'a', 'block')).toThrow('is blocked')
    }
  })

  it('accepts one tool or all of a server', () => {
    const book = ToolPins.inMemory()
    const later = ['a', 'b', 'c'].map((name) => tool(name, { title: 'x' }))
    book.check(
      's',
      ['a', 'b', 'c'].map((name) => tool(name)),
    )
    book.check('s', later)
    expect(book.accept('s', 'b')).toEqual(['b'])
    expect(statuses(book, later)).toEqual(['changed', 'same', 'changed'])
    expect(book.accept('s')).toEqual(['a', 'c'])
    expect(statuses(book, later)).toEqual(['same', 'same', 'same'])
    expect(book.accept('s')).toEqual([])
    expect(book.accept('nobody')).toEqual([])
  })

  it('a server cannot fill the book: what is beyond the limit counts as changed until it is accepted', () => {
    const book = ToolPins.inMemory({ maxPerServer: 1 })
    const [, second] = book.check('s', [tool('a'), tool('b')])
    expect(second).toMatchObject({ tool: 'b', status: 'changed' })
    expect(second).not.toHaveProperty('expected')
  })

  it('a server that has new names without end fills no memory, and none of them gets through', () => {
    const book = ToolPins.inMemory({ maxPerServer: 3 })
    book.check('s', [tool('a'), tool('b'), tool('c')])
    book.check('s', [tool('a', { title: 'x' })])
    for (let count = 0; count < 100; count++) expect(book.apply('s', [tool(`n${count}`)], 'block').tools).toEqual([])
    for (const name of ['a', 'n0', 'n99']) expect(() => book.guard('s', name, 'block')).toThrow('is blocked')
    expect(() => book.guard('s', 'b', 'block')).not.toThrow()
    expect(book.accept('s')).toEqual(['a', 'n98', 'n99'])
  })
})

describe('S: pins in a file', () => {
  let folder = ''
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pins-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  it('outlive the gateway, readable by their owner alone, without leftovers', async () => {
    const file = join(folder, 'pins.json')
    const book = await ToolPins.open(file)
    for (const name of ['a', 'b', '__proto__']) book.check('s', [tool(name)])
    await book.settled()
    expect(await readdir(folder)).toEqual(['pins.json'])
    if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600)
    const again = await ToolPins.open(file)
    expect(statuses(again, [tool('a'), tool('b', { title: 'x' }), tool('__proto__')])).toEqual([
      'same',
      'changed',
      'same',
    ])
    again.accept('s')
    await again.settled()
    expect(statuses(await ToolPins.open(file), [tool('b', { title: 'x' })])).toEqual(['same'])
  })

  it('are not written while nothing is new', async () => {
    const file = join(folder, 'pins.json')
    const book = await ToolPins.open(file)
    book.check('s', [tool('a')])
    await book.settled()
    await rm(file)
    book.check('s', [tool('a')])
    await book.settled()
    expect(await readdir(folder)).toEqual([])
  })

  it.each([
    ['not JSON', '{"format": 1,', 'it is not JSON'],
    ['another thing', '[]', 'it is not {'],
    ['a later format', '{"format": 2, "servers": {}}', 'it is not {'],
    ['a server that is none', '{"format": 1, "servers": {"s": []}}', 'server "s" is not an object'],
    ['a pin that is none', '{"format": 1, "servers": {"s": {"a": "x"}}}', 'pin of tool "a" of server "s"'],
  ])('a file with %s is refused and left as it is', async (_, text, problem) => {
    const file = join(folder, 'pins.json')
    await writeFile(file, text)
    await expect(ToolPins.open(file)).rejects.toMatchObject({
      name: 'PinsFileError',
      message: expect.stringContaining(problem),
    })
    expect(await readFile(file, 'utf8')).toBe(text)
  })

  it('a file that cannot be read is told', async () => {
    await expect(ToolPins.open(folder)).rejects.toMatchObject({
      name: 'PinsFileError',
      message: expect.stringContaining('cannot be read'),
    })
  })

  it('a file that cannot be written is told, and the pins hold', async () => {
    const file = join(folder, 'missing', 'pins.json')
    const problems: PinsFileError[] = []
    const book = await ToolPins.open(file, { onProblem: (problem) => problems.push(problem) })
    book.check('s', [tool('a')])
    await book.settled()
    expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining('cannot be written (ENOENT)')])
    expect(statuses(book, [tool('a')])).toEqual(['same'])
    await mkdir(join(folder, 'missing'))
    book.check('s', [tool('b')])
    await book.settled()
    expect(statuses(await ToolPins.open(file), [tool('a'), tool('b')])).toEqual(['same', 'same'])
  })
})
