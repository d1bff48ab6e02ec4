/** Patterns with `*` for any run of characters, matched in one pass. */

export type Matcher = (text: string) => boolean

export function wildcard(pattern: string): Matcher {
  const parts = pattern.split('*')
  const [start = ''] = parts
  if (parts.length === 1) return (text) => text === pattern
  const end = parts.at(-1) ?? ''
  const between = parts.slice(1, -1).filter((part) => part !== '')
  return (text) => {
    if (text.length < start.length + end.length || !text.startsWith(start) || !text.endsWith(end)) return false
    const limit = text.length - end.length
    let at = start.length
    // Taking the first place where a part fits leaves the most room for the next ones.
    for (const part of between) {
      const found = text.indexOf(part, at)
      if (found === -1 || found + part.length > limit) return false
      at = found + part.length
    }
    return true
  }
}
