/** The type of a file by the end of its name, for the files people put next to instructions. */

const TYPES: Readonly<Record<string, string>> = {
  md: 'text/markdown',
  markdown: 'text/markdown',
  txt: 'text/plain',
  csv: 'text/csv',
  html: 'text/html',
  css: 'text/css',
  js: 'text/javascript',
  mjs: 'text/javascript',
  ts: 'text/x-typescript',
  py: 'text/x-python',
  sh: 'text/x-shellscript',
  sql: 'application/sql',
  json: 'application/json',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  toml: 'application/toml',
  xml: 'application/xml',
  svg: 'image/svg+xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  pdf: 'application/pdf',
  zip: 'application/zip',
}

/** `undefined` when the name says nothing. */
export function typeOfFile(path: string): string | undefined {
  const end = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? ''
  return Object.hasOwn(TYPES, end) ? TYPES[end] : undefined
}

/** Whether contents of this type can be read by people, and so by models. */
export function isTextual(type: string): boolean {
  return type.startsWith('text/') || /^(?:application\/(?:sql|json|yaml|toml|xml)|image\/svg\+xml)$/.test(type)
}
