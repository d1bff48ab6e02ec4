/** Answers the methods of the skills extension: the list, one entry, and what is in a folder. */
import { ParleyError } from '../../errors/index.ts'
import type { Body } from '../../jsonrpc/index.ts'
import { SKILLS_EXTENSION } from '../../protocol/index.ts'
import type { Inbound } from '../../session/index.ts'
import type { SkillEntry } from '../../skills/index.ts'
import type { Conversation } from '../conversation.ts'
import { readCursor, writeCursor } from '../cursor.ts'
import type { DefinitionList } from '../registry.ts'
import { uriOf } from '../resources/read.ts'
import type { DefinedSkill } from './skill.ts'

/** Entries say how long they stay fresh in any case; unless the server was told, not at all. */
const STALE = { ttlMs: 0, cacheScope: 'private' } as const

/** A skill whose files cannot be had is left out, and the local log says why: lists may be partial. */
export async function listSkills(conversation: Conversation, inbound: Inbound): Promise<Body> {
  const { host } = conversation
  settingsFor(conversation, inbound)
  const { skills } = host.registry
  const page = pageOf(inbound.method, skills.order, ({ key }) => key, inbound.params['cursor'], host.pageSize)
  const entries = await Promise.all(
    page.items.map((skill) =>
      entryOf(skills, skill).catch((error: unknown) => {
        host.report(error, { during: inbound.method, name: skill.key, session: inbound.session })
        return undefined
      }),
    ),
  )
  return { skills: entries.filter((entry) => entry !== undefined), ...page.next, ...(host.cache.lists ?? STALE) }
}

export async function getSkill(conversation: Conversation, inbound: Inbound): Promise<Body> {
  const { host } = conversation
  settingsFor(conversation, inbound)
  const uri = uriOf(inbound)
  const { skills } = host.registry
  const skill = skills.get(uri)
  if (skill === undefined)
    throw new ParleyError('invalid_params', { message: `There is no skill at ${uri.slice(0, 500)}`, data: { uri } })
  try {
    return { skill: await entryOf(skills, skill), ...(host.cache.resources ?? STALE) }
  } catch (thrown) {
    throw conversation.failure(inbound, thrown, uri)
  }
}

export function readDirectory(conversation: Conversation, inbound: Inbound): Body {
  if (settingsFor(conversation, inbound)['directoryRead'] !== true) throw unknown(inbound)
  const { registry, pageSize } = conversation.host
  const uri = uriOf(inbound)
  const children = foldersOf(registry.skills).get(uri)
  if (children === undefined) {
    const what = registry.find(uri) === undefined ? 'does not exist' : 'is not a directory'
    throw new ParleyError('invalid_params', { message: `${uri.slice(0, 500)} ${what}`, data: { uri } })
  }
  const page = pageOf(
    `${inbound.method}:${uri}`,
    children,
    (child) => String(child['uri']),
    inbound.params['cursor'],
    pageSize,
  )
  return { resources: page.items, ...page.next }
}

/** What was declared; where nothing was, the methods do not exist. */
function settingsFor({ host }: Conversation, inbound: Inbound): Record<string, unknown> {
  const settings = (
    host.introduce().capabilities['extensions'] as Record<string, Record<string, unknown>> | undefined
  )?.[SKILLS_EXTENSION]
  if (settings === undefined) throw unknown(inbound)
  return settings
}

function unknown({ method }: Inbound): ParleyError {
  return new ParleyError('method_not_found', { message: `Method not found: ${method}` })
}

function entryOf(skills: DefinitionList<DefinedSkill>, skill: DefinedSkill): Promise<SkillEntry> {
  return skill.entry(skills.order.filter(({ directory }) => directory.startsWith(`${skill.directory}/`)))
}

interface PageOf<Item> {
  readonly items: readonly Item[]
  readonly next: { nextCursor?: string }
}

function pageOf<Item>(
  list: string,
  all: readonly Item[],
  keyOf: (item: Item) => string,
  cursor: unknown,
  pageSize: number,
): PageOf<Item> {
  let start = 0
  if (cursor !== undefined) {
    const { after, index } = readCursor(list, cursor)
    const found = all.findIndex((item) => keyOf(item) === after)
    start = found === -1 ? Math.min(index, all.length) : found + 1
  }
  const end = start + pageSize
  const items = all.slice(start, end)
  const last = items[items.length - 1]
  return {
    items,
    next:
      last === undefined || end >= all.length
        ? {}
        : { nextCursor: writeCursor(list, { after: keyOf(last), index: end }) },
  }
}

type Folders = ReadonlyMap<string, readonly Body[]>

/** A list never changes, so neither do the folders of its skills. */
const known = new WeakMap<DefinitionList<DefinedSkill>, Folders>()

/** By URI, the direct children of every folder there is, down from what is in the place of a host. */
function foldersOf(skills: DefinitionList<DefinedSkill>): Folders {
  const made = known.get(skills)
  if (made !== undefined) return made
  const folders = new Map<string, Body[]>()
  for (const file of skills.order.flatMap(({ files }) => files)) {
    let child: Body = file.show()
    for (let uri = parentOf(file.key); uri !== undefined; uri = parentOf(uri)) {
      const siblings = folders.get(uri)
      if (siblings !== undefined) {
        siblings.push(child)
        break
      }
      folders.set(uri, [child])
      child = { uri, name: decodeURIComponent(uri.slice(uri.lastIndexOf('/') + 1)), mimeType: 'inode/directory' }
    }
  }
  known.set(skills, folders)
  return folders
}

function parentOf(uri: string): string | undefined {
  const parent = uri.slice(0, uri.lastIndexOf('/'))
  return parent.endsWith(':/') ? undefined : parent
}
