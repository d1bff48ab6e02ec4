/** Lists, page by page. Pages of fixed definitions are made once per version and kept as text, for all sessions. */
import { type Body, Serialised } from '../jsonrpc/index.ts'
import type { Inbound, Session } from '../session/index.ts'
import { type Loss, supports } from '../versions/index.ts'
import type { WrittenHint } from './cache-hints.ts'
import { readCursor, writeCursor } from './cursor.ts'
import { isPromise, type Listed } from './definition.ts'
import type { DefinitionList, ListName, Page, Registry } from './registry.ts'

interface ListInfo {
  readonly list: ListName
  /** The field of the result. */
  readonly field: string
}

export const lists: ReadonlyMap<string, ListInfo> = new Map([
  ['tools/list', { list: 'tools', field: 'tools' }],
  ['resources/list', { list: 'resources', field: 'resources' }],
  ['resources/templates/list', { list: 'templates', field: 'resourceTemplates' }],
  ['prompts/list', { list: 'prompts', field: 'prompts' }],
])

/** The notification for a change of each list. */
export const changeNotices: Readonly<Record<ListName, string>> = {
  tools: 'notifications/tools/list_changed',
  resources: 'notifications/resources/list_changed',
  templates: 'notifications/resources/list_changed',
  prompts: 'notifications/prompts/list_changed',
  skills: 'notifications/resources/list_changed',
}

export function listPage(
  registry: Registry,
  inbound: Inbound,
  pageSize: number,
  hint: WrittenHint | undefined,
): Serialised | Promise<Serialised | Body> {
  const { method, session, caller } = inbound
  const cursor = inbound.params['cursor']
  const info = lists.get(method) as ListInfo
  const enumerable =
    method === 'resources/list' && registry.templates.order.some((template) => template.list !== undefined)
  if (enumerable) return enumeratedPage(registry, method, cursor, pageSize).then((page) => ({ ...page, ...hint }))
  const list: DefinitionList<Listed> = registry[info.list]
  const start = cursor === undefined ? 0 : startOf(method, cursor, list)
  // Cursors come from peers. Only regular pages are kept, so that other cursors cannot fill the memory.
  if (start % pageSize !== 0) return textOf(makePage(list, inbound, info.field, start, pageSize, hint))
  const key = `${caller.version} ${session.profile} ${start}`
  const kept = list.pages.get(key)
  if (kept !== undefined) return isPromise(kept) ? kept.then((page) => handOn(page, session)) : handOn(kept, session)
  const page = makePage(list, inbound, info.field, start, pageSize, hint)
  list.pages.set(key, page)
  if (isPromise(page)) {
    page.then(
      (made) => list.pages.set(key, made),
      () => list.pages.delete(key),
    )
  }
  return textOf(page)
}

function textOf(page: Page | Promise<Page>): Serialised | Promise<Serialised> {
  return isPromise(page) ? page.then(({ text }) => text) : page.text
}

/** The page was translated for another peer. Its losses count for this peer as well. */
function handOn({ text, losses }: Page, session: Session): Serialised {
  session.reportLosses(losses)
  return text
}

function startOf(method: string, cursor: unknown, list: DefinitionList<Listed>): number {
  const { after, index } = readCursor(method, cursor)
  const position = list.positionOf(after)
  return position === undefined ? Math.min(index, list.size) : position + 1
}

function makePage(
  list: DefinitionList<Listed>,
  inbound: Inbound,
  field: string,
  start: number,
  pageSize: number,
  hint: WrittenHint | undefined,
): Page | Promise<Page> {
  const items = list.order.slice(start, start + pageSize)
  const last = items[items.length - 1]
  const nextCursor =
    last !== undefined && start + pageSize < list.size
      ? writeCursor(inbound.method, { after: last.key, index: start + pageSize })
      : undefined
  const finish = (shown: readonly Body[]): Page => {
    const result: Body = {
      [field]: supports(inbound.caller.version, 'handshake') ? shown : shown.map(withoutExecution),
      ...(nextCursor === undefined ? {} : { nextCursor }),
      ...hint,
    }
    const losses: Loss[] = []
    const translated = inbound.written(result, (loss) => losses.push(loss))
    return { text: new Serialised(JSON.stringify(translated)), losses }
  }
  const shown = items.map((item) => item.show())
  return shown.some(isPromise) ? Promise.all(shown).then(finish) : finish(shown as Body[])
}

/** D-47: `execution` is shown only where the caller decides whether there is a task. */
function withoutExecution(item: Body): Body {
  if (item['execution'] === undefined) return item
  const { execution: _, ...rest } = item
  return rest
}

/** With templates that enumerate resources, the list is made for each request. */
async function enumeratedPage(registry: Registry, method: string, cursor: unknown, pageSize: number): Promise<Body> {
  const position = cursor === undefined ? undefined : readCursor(method, cursor)
  const fixed = registry.resources.order.map((resource) => resource.show())
  const listed = await Promise.all(registry.templates.order.map((template) => template.enumerate()))
  const all = unique([...fixed, ...listed.flat()])
  let start = 0
  if (position !== undefined) {
    const found = all.findIndex((resource) => resource['uri'] === position.after)
    start = found === -1 ? Math.min(position.index, all.length) : found + 1
  }
  const resources = all.slice(start, start + pageSize)
  const end = start + pageSize
  const last = resources[resources.length - 1]
  return last === undefined || end >= all.length
    ? { resources }
    : { resources, nextCursor: writeCursor(method, { after: String(last['uri']), index: end }) }
}

/** The first mention of a URI counts. */
function unique(resources: readonly Body[]): Body[] {
  const seen = new Set<unknown>()
  return resources.filter((resource) => !seen.has(resource['uri']) && seen.add(resource['uri']))
}
