/** URIs of MCP App pages (`ui://` resources) of many servers at one address. Each public URI names its server. */
import { type Body, isObject } from 'parley-mcp/engine'

/** Hosts draw a page only if its URI has this scheme, in lower case. */
const SCHEME = 'ui://'
const MARK = '+'

/**
 * Members of `_meta` that name the page of a tool: an older form of the extension, and one that a large host came with.
 */
const FLAT_KEYS = ['ui/resourceUri', 'openai/outputTemplate'] as const

export function isAppUri(uri: string): boolean {
  return uri.startsWith(SCHEME)
}

/**
 * `ui://<server>+<rest>` for `ui://<rest>`, also where `<rest>` is a template.
 *
 * Every `ui://` URI of every server is shown in this form, whether or not another server has the same one. So the form
 * of one server never equals a URI that another server is shown with: a server whose own URI is `ui://b+x` is shown
 * with `ui://a+b+x`. The name is percent-encoded and so has no `+`: the first `+` always ends it, and the rest is as it
 * was.
 */
export function publicAppUri(server: string, uri: string): string {
  return SCHEME + encodeURIComponent(server) + MARK + uri.slice(SCHEME.length)
}

/**
 * The server and the URI in a public URI. `undefined` for other forms. The caller checks whether there is such a server.
 */
export function ownAppUri(uri: string): { readonly server: string; readonly uri: string } | undefined {
  const mark = isAppUri(uri) ? uri.indexOf(MARK) : -1
  if (mark === -1) return undefined
  const name = uri.slice(SCHEME.length, mark)
  const server = decoded(name)
  return server === undefined || encodeURIComponent(server) !== name
    ? undefined
    : { server, uri: SCHEME + uri.slice(mark + 1) }
}

/**
 * A tool, a result, or a part of one, whose `_meta` names pages of this server by their public URIs. The same object
 * when it names none.
 */
export function withAppLinks<Item extends Body>(server: string, item: Item): Item {
  const meta: unknown = item['_meta']
  if (!isObject(meta)) return item
  let shown: Body = meta
  for (const key of FLAT_KEYS) {
    const uri = meta[key]
    if (typeof uri === 'string' && isAppUri(uri)) shown = { ...shown, [key]: publicAppUri(server, uri) }
  }
  const ui = meta['ui']
  const page: unknown = isObject(ui) ? ui['resourceUri'] : undefined
  if (typeof page === 'string' && isAppUri(page))
    shown = { ...shown, ui: { ...(ui as Body), resourceUri: publicAppUri(server, page) } }
  return shown === meta ? item : { ...item, _meta: shown }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
