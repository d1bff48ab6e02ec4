/** Answers that stand on the command line, for whichever questions the server puts. */
import type { ElicitValue, FormSchema } from 'parley-mcp'
import { didYouMean, similarNames } from '../arguments/similar-names.ts'
import { type CliError, failed } from '../failure.ts'
import { readField } from './form-field.ts'
import { pairOf } from './typed-arguments.ts'

/** What to fill in, or why the answers are none to this question. */
export type FilledForm = { readonly content: Record<string, ElicitValue> } | { readonly declined: string }

export class ScriptedAnswers {
  readonly #texts: ReadonlyMap<string, string>
  readonly #used = new Set<string>()
  readonly #asked = new Set<string>()

  constructor(pairs: readonly string[]) {
    this.#texts = new Map(pairs.map((pair) => pairOf(pair, '--answer')))
  }

  /** Throws what was written wrong. */
  fill({ properties, required = [] }: FormSchema): FilledForm {
    const names = Object.keys(properties)
    for (const name of names) {
      this.#asked.add(name)
      if (this.#texts.has(name)) this.#used.add(name)
    }
    // Nobody has decided anything about it, not even that everything may be left out.
    if (names.length === 0) return { declined: 'it asks for no field, and --answer fills in fields' }
    if (!names.some((name) => this.#texts.has(name)))
      return this.#unanswered(names, 'no --answer is for one of its fields')
    this.#demandNoSlip(names)
    // Not set one by one: a field may have a name that objects treat in their own way.
    const content: [string, ElicitValue][] = []
    for (const [name, schema] of Object.entries(properties)) {
      const text = this.#texts.get(name)
      if (text === undefined) {
        if (!required.includes(name) || schema.default !== undefined) continue
        return this.#unanswered(names, `no --answer for ${JSON.stringify(name)}`)
      }
      const read = readField(schema, text)
      if ('problem' in read) throw failed('wrong_answer', `--answer ${name}=${text}: ${read.problem}`)
      content.push([name, read.value])
    }
    return { content: Object.fromEntries(content) }
  }

  /** About answers to what was never asked, now that nothing more will be. */
  unused(): string[] {
    return this.#strays().map((stray) => noField(stray, [...this.#asked]).message)
  }

  /** Whoever wrote an answer that nobody has asked for yet has meant something else by it. */
  #unanswered(names: readonly string[], declined: string): FilledForm {
    const [stray] = this.#strays()
    if (stray !== undefined) throw noField(stray, names)
    return { declined }
  }

  /**
   * One that nobody has asked for yet may be for a later question, unless it is nearly the name of a field that has no
   * answer here.
   */
  #demandNoSlip(names: readonly string[]): void {
    const open = names.filter((name) => !this.#texts.has(name))
    const slip = this.#strays().find((stray) => similarNames(stray, open).length > 0)
    if (slip !== undefined) throw noField(slip, names)
  }

  #strays(): string[] {
    return [...this.#texts.keys()].filter((key) => !this.#used.has(key))
  }
}

function noField(key: string, fields: readonly string[]): CliError {
  const hint = fields.length === 0 ? 'it asked nothing' : `it asks for ${fields.join(', ')}`
  return failed('wrong_answer', `--answer ${key}: the server asks for no such field${didYouMean(key, fields)}`, {
    hint,
  })
}
