/** Reads YAML, with anchors and merge keys. */
import {
  type Alias,
  Composer,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  type Pair,
  Parser,
  type YAMLError,
} from 'yaml'
import {
  type ConfigNode,
  MAX_DEPTH,
  type ObjectEntry,
  type ParsedDocument,
  type SyntaxFault,
  tooDeep,
} from './document.ts'

// Own messages, because those of the parser quote the source, which may contain secrets.
const FAULTS: Readonly<Partial<Record<YAMLError['code'], readonly [message: string, hint: string]>>> = {
  BAD_DQ_ESCAPE: ['Not a YAML escape.', 'Use single quotes. A backslash has no special meaning in them.'],
  BAD_INDENT: [
    'The indentation does not fit the lines above.',
    'Indent entries of one level by the same number of spaces, and close every bracket.',
  ],
  BAD_SCALAR_START: ['A plain text cannot begin with this character.', 'Put the text in quotes.'],
  BLOCK_AS_IMPLICIT_KEY: [
    'More than one key and value on this line.',
    'Write one key on each line, and put texts that contain ": " in quotes.',
  ],
  MISSING_CHAR: ['A quote, bracket, colon or comma is missing here.', 'Check the punctuation here and just before.'],
  MULTILINE_IMPLICIT_KEY: ['A line without a colon.', 'Write "key: value", or "- value" in lists.'],
  MULTIPLE_DOCS: ['The file holds more than one document.', 'Remove what follows the second ---.'],
  RESOURCE_EXHAUSTION: ['Nested too deeply.', 'A configuration needs only a few levels.'],
  TAB_AS_INDENT: ['Indented with a tab.', 'Indent with spaces.'],
  TAG_RESOLVE_FAILED: ['A tag that has no meaning here.', 'Remove the word that begins with "!".'],
  UNEXPECTED_TOKEN: ['Something that is not allowed here.', 'Put texts that contain special characters in quotes.'],
}

// Limits aliases of aliases, which could grow without end.
const MAX_NODES = 20_000

export function parseYaml(text: string): ParsedDocument {
  const documents = compose(text)
  if (!Array.isArray(documents)) return { root: undefined, faults: [documents as SyntaxFault] }
  const [first, second] = documents
  const error = first?.errors[0] ?? first?.warnings[0]
  if (error !== undefined) return { root: undefined, faults: [fault(error.code, error.pos[0])] }
  if (second !== undefined) return { root: undefined, faults: [fault('MULTIPLE_DOCS', second.range[0])] }
  if (!isNode(first?.contents)) return { root: undefined, faults: [] }
  const tree = new Tree(first)
  const root = tree.convert(first.contents, first.range[0], 0)
  return tree.faults.length > 0 ? { root: undefined, faults: tree.faults } : { root, faults: [] }
}

/** Checks the depth while it reads, because the composer recurses and could exhaust the stack. */
function compose(text: string): readonly Document.Parsed[] | SyntaxFault {
  const parser = new Parser()
  const tokens = []
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme))
    if (parser.stack.length > MAX_DEPTH) return tooDeep(parser.offset)
  }
  tokens.push(...parser.end())
  return Array.from(
    new Composer({ prettyErrors: false, uniqueKeys: false, logLevel: 'silent' }).compose(tokens, true, text.length),
  )
}

function fault(code: YAMLError['code'], at: number): SyntaxFault {
  const [message, hint] = FAULTS[code] ?? [
    'Not YAML.',
    'Check the punctuation and the indentation here and just before.',
  ]
  return { at, message, hint }
}

class Tree {
  readonly faults: SyntaxFault[] = []
  readonly #document: Document.Parsed
  readonly #targets = new Map<Alias, unknown>()
  #nodes = 0

  constructor(document: Document.Parsed) {
    this.#document = document
  }

  convert(node: unknown, near: number, depth: number): ConfigNode {
    const at = startOf(node) ?? near
    if (this.#isTooMuch(at, depth)) return { kind: 'scalar', at, value: null }
    if (isAlias(node)) return this.#resolve(node, at, depth)
    if (isMap(node))
      return {
        kind: 'object',
        at,
        entries: this.#merge(node.items.flatMap((pair) => this.#entry(pair, at, depth + 1))),
      }
    if (isSeq(node)) return { kind: 'list', at, items: node.items.map((item) => this.convert(item, at, depth + 1)) }
    return { kind: 'scalar', at, value: isScalar(node) ? this.#plain(node.value, at) : null }
  }

  #resolve(alias: Alias, at: number, depth: number): ConfigNode {
    // A cache: the search for an anchor walks the document, and nested aliases repeat it often.
    const target = this.#targets.get(alias) ?? alias.resolve(this.#document)
    this.#targets.set(alias, target)
    if (target === undefined)
      this.#fault(
        at,
        'There is no anchor of this name above.',
        'Write &name at the definition of the value, above the line that uses *name.',
      )
    return { ...this.convert(target, at, depth + 1), at }
  }

  #entry(pair: Pair, near: number, depth: number): ObjectEntry[] {
    const keyAt = startOf(pair.key) ?? near
    const key = isScalar(pair.key)
      ? typeof pair.key.value === 'string'
        ? pair.key.value
        : (pair.key.source ?? '')
      : undefined
    if (key === undefined || (isScalar(pair.key) && pair.key.value === null)) {
      this.#fault(keyAt, 'The key is not a text.', 'Write a name before the colon.')
      return []
    }
    return [{ key, keyAt, value: this.convert(pair.value, keyAt, depth) }]
  }

  /** The entries that `<<` adds come after the object's own entries. */
  #merge(entries: readonly ObjectEntry[]): ObjectEntry[] {
    const own = entries.filter(({ key }) => key !== '<<')
    const brought = entries
      .filter(({ key }) => key === '<<')
      .flatMap(({ value }) => (value.kind === 'list' ? value.items : [value]))
    const seen = new Set(own.map(({ key }) => key))
    for (const source of brought) {
      if (source.kind !== 'object')
        this.#fault(source.at, 'Only objects can be merged with <<.', 'Write <<: *name of an anchored object.')
      for (const entry of source.kind === 'object' ? source.entries : []) {
        if (!seen.has(entry.key)) own.push(entry)
        seen.add(entry.key)
      }
    }
    return own
  }

  #plain(value: unknown, at: number): string | number | boolean | null {
    if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      return value
    this.#fault(at, 'A configuration has no values of this kind.', 'Write a text in quotes, a number, true or false.')
    return null
  }

  #isTooMuch(at: number, depth: number): boolean {
    this.#nodes++
    if (depth > MAX_DEPTH) this.#fault(at, tooDeep(at).message, 'An alias must not contain itself.')
    if (this.#nodes === MAX_NODES) this.#fault(at, `More than ${MAX_NODES} values.`, 'Use fewer aliases of aliases.')
    return depth > MAX_DEPTH || this.#nodes >= MAX_NODES
  }

  #fault(at: number, message: string, hint: string): void {
    if (this.faults.length < 50) this.faults.push({ at, message, hint })
  }
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined
}
