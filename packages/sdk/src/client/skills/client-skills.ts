/** Lists and loads the skills of a server. A skill is only used if its files match its entry (SEP-2640). */
import { ParleyError } from '../../errors/index.ts'
import { type Body, isObject } from '../../jsonrpc/index.ts'
import { type PaginatedResult, SKILLS_EXTENSION } from '../../protocol/index.ts'
import type { RequestOptions } from '../../session/index.ts'
import { entryFault, type SkillEntry } from '../../skills/index.ts'
import type { Connection } from '../connection/connection.ts'
import type { CachedReader, ReadOptions } from '../lists/cached-reader.ts'
import { LoadedSkill } from './loaded-skill.ts'

type SkillsPage = PaginatedResult & { skills: SkillEntry[] }

export class ClientSkills {
  readonly #connection: Connection
  readonly #reader: CachedReader

  constructor(connection: Connection, reader: CachedReader) {
    this.#connection = connection
    this.#reader = reader
  }

  async list(options?: ReadOptions): Promise<SkillEntry[]> {
    this.#check('skills/list')
    return await this.#reader.all(
      'skills/list',
      options,
      (each) => this.#reader.page('skills/list', 'skills', each) as Promise<SkillsPage>,
      (page) => page.skills,
    )
  }

  /** Reads only SKILL.md. */
  async load(wanted: string | SkillEntry, options?: RequestOptions): Promise<LoadedSkill> {
    const entry = typeof wanted === 'string' ? await this.#entry(wanted, options) : wanted
    const fault = entryFault(entry)
    if (fault !== undefined)
      throw new ParleyError('invalid_answer', { message: `The entry of a skill is invalid: ${fault}` })
    return await LoadedSkill.load(
      entry,
      (uri, own) => this.#connection.request('resources/read', { uri }, own),
      options,
    )
  }

  async #entry(uri: string, options: RequestOptions | undefined): Promise<SkillEntry> {
    this.#check('skills/get')
    const { skill } = (await this.#connection.request('skills/get', { uri }, options)) as { skill?: SkillEntry }
    if (isObject(skill) && skill['uri'] === uri) return skill
    throw new ParleyError('invalid_answer', { message: `The answer to skills/get is not about ${uri.slice(0, 500)}` })
  }

  #check(method: string): void {
    const extensions = (this.#connection.session.peer?.capabilities as Body | undefined)?.['extensions']
    if (isObject(extensions) && isObject(extensions[SKILLS_EXTENSION])) return
    throw new ParleyError('capability_not_supported', {
      message: `${method} needs a server with the extension ${SKILLS_EXTENSION}, which was not declared`,
      data: { method, extension: SKILLS_EXTENSION },
    })
  }
}
