/** Rules for the texts of the configuration. */

export interface TextRule {
  readonly pattern: RegExp
  readonly wrong: string
  readonly hint: string
  readonly example: string
  /** The suggestion for a text that breaks the rule. */
  readonly meant?: (text: string) => string | undefined
}

/** An address without its scheme, and without anything that may be a secret. */
const BARE_ADDRESS = /^(?:localhost|[\w-]+(?:\.[\w-]+)+|\[[\da-f:]+\]|[\w-]+(?=:\d))(?::\d{1,5})?(?:\/[^\s?#@]*)?$/i

/** A NUL character would cut a text short in other programs. */
const NO_NUL = 'Must not contain a NUL character.'

export const RULES = {
  any: { pattern: /^[^\0]*$/u, wrong: NO_NUL, hint: 'Remove it.', example: '"text"' },
  filled: {
    pattern: /^(?=\s*\S)[^\0]*$/u,
    wrong: 'Must not be empty.',
    hint: 'Write a value, or remove the key.',
    example: '"text"',
  },
  path: {
    pattern: /^(?=\s*\S)(?!~)[^\0]*$/u,
    wrong: 'Not a path: it is empty, or begins with "~", which only shells expand.',
    hint: `Write the path itself, or \${HOME}/….`,
    example: '"./folder"',
  },
  url: {
    pattern: /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^\s/]\S*$/u,
    wrong: 'Not a URL.',
    hint: 'Write the complete URL: https://example.com/mcp.',
    example: '"https://example.com/mcp"',
    meant: (text: string) => (BARE_ADDRESS.test(text) ? `http://${text}` : undefined),
  },
  serverName: {
    pattern: /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/u,
    wrong: 'Not a valid name for a server. The name becomes part of addresses and tool names.',
    hint: 'Use letters, digits, ".", "_" and "-", at most 64, beginning with a letter or digit.',
    example: '"files"',
  },
  variableName: {
    pattern: /^[^=\0]+$/u,
    wrong: 'Not a name for an environment variable.',
    hint: 'Use letters, digits and "_".',
    example: '"TOKEN"',
  },
  headerName: {
    pattern: /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/u,
    wrong: 'Not a name for a header.',
    hint: 'Use letters, digits and "-", without a colon or spaces.',
    example: '"Authorization"',
  },
  headerValue: {
    pattern: /^[\t\x20-\x7e\x80-\xff]*$/u,
    wrong: 'Contains a character that is not allowed in a header, such as a line break.',
    hint: 'Check the end of the text, or of the variable in it.',
    example: `"Bearer \${TOKEN}"`,
  },
  toolName: {
    pattern: /^[^\0\s]{1,128}$/u,
    wrong: 'Not a name for a tool.',
    hint: 'Write 1 to 128 characters without spaces.',
    example: '"read_file"',
  },
  toolPattern: {
    pattern: /^[^\0\s]{1,256}$/u,
    wrong: 'Not a name or pattern of tools.',
    hint: 'Write a name, or a pattern such as "read_*", without spaces.',
    example: '"read_*"',
  },
  host: {
    pattern: /^[^\s/]{1,256}$/u,
    wrong: 'Not a host.',
    hint: 'Write the name or address alone, without "http://" and without a path.',
    example: '"127.0.0.1"',
  },
  allowedHost: {
    pattern: /^(?:\*|[^\s/*]{1,256})$/u,
    wrong: 'Not a host.',
    hint: 'Write the name or address alone, without "http://", a path or patterns; "any" (or "*") allows every name.',
    example: '"mcp.example.com"',
  },
  origin: {
    pattern: /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^\s/]{1,256}\/?$/u,
    wrong: 'Not an origin.',
    hint: 'Write scheme and host, without a path: https://app.example.',
    example: '"https://app.example"',
  },
  store: {
    pattern: /^(?:memory|lmdb:\S+|rediss?:\/\/\S+)$/u,
    wrong: 'Not a store.',
    hint: 'Write "memory".',
    example: '"memory"',
  },
} satisfies Readonly<Record<string, TextRule>>
