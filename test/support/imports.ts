/** Which module imports which, read from source text. */
import { posix } from 'node:path'

/** Sources by path relative to the source folder, such as `session/phase.ts`. */
export type Sources = ReadonlyMap<string, string>

export interface Import {
  from: string
  specifier: string
  /** Path of the imported source; undefined for packages and `node:` modules. */
  target: string | undefined
}

// A statement starts a line (`import … from`, `export … from`, `import '…'`); `import('…')` may stand anywhere, also in
// types.
const STATEMENT = /^\s*(?:import|export)\b(?:[^'"`;]*?\bfrom)?\s*['"]([^'"\n]+)['"]/gm
const EXPRESSION = /\bimport\s*\(\s*['"]([^'"\n]+)['"]/g

export function importsOf(path: string, text: string): Import[] {
  const code = withoutComments(text)
  const specifiers = [...code.matchAll(STATEMENT), ...code.matchAll(EXPRESSION)].map((match) => match[1] as string)
  return specifiers.map((specifier) => ({
    from: path,
    specifier,
    target: specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : undefined,
  }))
}

/** Comments often show an import; only whole-line and block comments matter here. */
function withoutComments(text: string): string {
  return text.replace(/^\s*\/\*[\s\S]*?\*\//gm, '').replace(/^\s*\/\/.*$/gm, '')
}

export function allImports(sources: Sources): Import[] {
  return [...sources].flatMap(([path, text]) => importsOf(path, text))
}

/** Every import that loading `entry` can lead to. */
export function reachable(entry: string, sources: Sources): Import[] {
  const seen = new Set([entry])
  const open = [entry]
  const found: Import[] = []
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    for (const edge of importsOf(path, sources.get(path) ?? '')) {
      found.push(edge)
      if (edge.target === undefined || seen.has(edge.target)) continue
      seen.add(edge.target)
      open.push(edge.target)
    }
  }
  return found
}

/** `react/jsx-runtime` → `react`, `@scope/name/part` → `@scope/name`. */
export function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}
