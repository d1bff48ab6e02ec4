/**
 * Hooks of the module loader: an engine that is imported with a mark, such as `?able`, is a copy of its own; the one
 * marked `?plain` cannot ask.
 */

const ENGINE = '/.cache/engine/'

/** Ends of the addresses, and what the copy that cannot ask has in their places. */
const EXCHANGED = {
  '/server/context.js': new URL('./plain/context.js', import.meta.url).href,
  '/session/asking/parking.js': new URL('./plain/parking.js', import.meta.url).href,
}

export async function resolve(specifier, context, next) {
  const found = await next(specifier, context)
  const mark = new URL(context.parentURL ?? found.url).search
  // What belongs to a copy has its mark; packages are shared.
  if (mark === '' || !found.url.includes(ENGINE)) return found
  const [, exchanged] = (mark === '?plain' && Object.entries(EXCHANGED).find(([end]) => found.url.endsWith(end))) || []
  return { ...found, url: `${exchanged ?? found.url}${mark}` }
}
