/** Links, headings and code blocks of Markdown files. */

export interface MarkdownLink {
  text: string
  href: string
}

/** Code is not prose: what looks like a link inside it is none. */
function withoutCode(markdown: string): string {
  return markdown.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '')
}

export function linksOf(markdown: string): MarkdownLink[] {
  return [...withoutCode(markdown).matchAll(/\[([^\]]*)\]\(([^)\s]+)\)/g)].map((match) => ({
    text: match[1] as string,
    href: match[2] as string,
  }))
}

/** The anchors that headings get on the usual hosts. */
export function anchorsOf(markdown: string): Set<string> {
  const headings = [...markdown.replace(/^```[\s\S]*?^```/gm, '').matchAll(/^#{1,6}\s+(.+)$/gm)].map(
    (match) => match[1] as string,
  )
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replace(/\s/g, '-'),
    ),
  )
}

export function codeBlocks(markdown: string, language: string): string[] {
  return [...markdown.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    (match) => match[1] as string,
  )
}
