/** Reads JSON with comments and trailing commas. */
import { createScanner, type Node, type ParseError, parseTree } from 'jsonc-parser'
import {
  type ConfigNode,
  MAX_DEPTH,
  type ObjectEntry,
  type ParsedDocument,
  type SyntaxFault,
  tooDeep,
} from './document.ts'

// The parser's codes and tokens as numbers, because its enums exist only in its types.
const OPENING: ReadonlySet<number> = new Set([1, 3])
const CLOSING: ReadonlySet<number> = new Set([2, 4])
const END_OF_TEXT = 17

const FAULTS: Readonly<Record<number, readonly [message: string, hint: string]>> = {
  1: ['Not a JSON value.', 'Write texts and keys in double quotes: "like this".'],
  2: ['Not a JSON number.', 'Write digits, such as 30 or 1.5, or a text in double quotes.'],
  3: ['A key is missing here.', 'Write keys in double quotes: "key": value.'],
  4: ['A value is missing here.', 'Write a value after the colon, or remove the key.'],
  5: ['A colon is missing here.', 'Write "key": value.'],
  6: ['A comma is missing before this.', 'Separate entries with commas.'],
  7: ['A closing } is missing.', 'Close every { with a }.'],
  8: ['A closing ] is missing.', 'Close every [ with a ].'],
  9: ['There is text after the end of the configuration.', 'Remove what follows the last closing bracket.'],
  11: ['A comment is not closed.', 'End it with */.'],
  12: ['A text is not closed on its line.', 'End it with a double quote; write a line break inside it as \\n.'],
  13: ['A number is not finished.', 'Write digits, such as 30 or 1.5.'],
  14: ['Not a character code.', 'Write \\u and four hexadecimal digits.'],
  15: ['Not a JSON escape.', 'Write a backslash twice: "C:\\\\folder".'],
  16: ['A character that is not allowed here.', 'Write control characters in texts as \\n, \\t or \\u0000.'],
}

export function parseJson(text: string): ParsedDocument {
  const deep = depthFault(text)
  if (deep !== undefined) return { root: undefined, faults: [deep] }
  const errors: ParseError[] = []
  const tree = parseTree(text, errors, { allowTrailingComma: true })
  // Later errors are mostly consequences of the first.
  const [first] = errors
  if (tree === undefined && isBlank(text)) return { root: undefined, faults: [] }
  if (first !== undefined) return { root: undefined, faults: [fault(first)] }
  return { root: tree === undefined ? undefined : convert(tree), faults: [] }
}

function fault({ error, offset }: ParseError): SyntaxFault {
  const [message, hint] = FAULTS[error] ?? ['Not JSON.', 'Check the punctuation here and just before.']
  return { at: offset, message, hint }
}

function depthFault(text: string): SyntaxFault | undefined {
  const scanner = createScanner(text, true)
  let depth = 0
  for (let token: number = scanner.scan(); token !== END_OF_TEXT; token = scanner.scan()) {
    if (OPENING.has(token)) depth++
    if (CLOSING.has(token)) depth--
    if (depth > MAX_DEPTH) return tooDeep(scanner.getTokenOffset())
  }
  return undefined
}

function isBlank(text: string): boolean {
  return (createScanner(text, true).scan() as number) === END_OF_TEXT
}

function convert(node: Node): ConfigNode {
  const at = node.offset
  if (node.type === 'object') return { kind: 'object', at, entries: (node.children ?? []).flatMap(convertProperty) }
  if (node.type === 'array') return { kind: 'list', at, items: (node.children ?? []).map(convert) }
  return { kind: 'scalar', at, value: node.value ?? null }
}

function convertProperty({ children }: Node): ObjectEntry[] {
  const [key, value] = children ?? []
  return key === undefined || value === undefined
    ? []
    : [{ key: String(key.value), keyAt: key.offset, value: convert(value) }]
}
