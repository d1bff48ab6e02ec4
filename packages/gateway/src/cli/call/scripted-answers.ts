/** The answers of the command line, for the questions of the server. */
import type { ElicitValue, FormSchema } from 'parley-mcp'
import { didYouMean, similarNames } from '../arguments/similar-names.ts'
import { type CliError, failed } from '../failure.ts'
import { readField } from './form-field.ts'
import { pairOf } from './typed-arguments.ts'

/** The filled form, or the reason to decline. */
export type FilledForm = { readonly content: Record<string, ElicitValue> } | { readonly declined: string }

export class ScriptedAnswers {
  readonly #texts: ReadonlyMap<string, string>
  readonly #used = new Set<string>()
  readonly #asked = new Set<string>()

  constructor(pairs: readonly string[]) {
    this.#texts = new Map(pairs.map((pair) => pairOf(pair, '--answer')))
  }

  /** Throws if an answer is wrong. */
  fill({ properties, required = [] }: FormSchema): FilledForm {
    const names = Object.keys(properties)
    for (const name of names) {
      this.#asked.add(name)
      if (this.#texts.has(name)) this.#used.add(name)
    }
    // Without fields, the user has decided nothing about this question.
    if (names.length === 0) return { declined: 'it asks for no field, and --answer fills in fields' }
    if (!names.some((name) => this.#texts.has(name)))
      return this.#unanswered(names, 'no --answer is for one of its fields')
    this.#refuseMisspelt(names)
    // Not set one by one, because a field may be named `__proto__`.
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

  /** Messages about unused answers, after the last question. */
  unused(): string[] {
    return this.#strays().map((stray) => noField(stray, [...this.#asked]).message)
  }

  /** An unused answer is probably meant for one of these fields, but misspelt. */
  #unanswered(names: readonly string[], declined: string): FilledForm {
    const [stray] = this.#strays()
    if (stray !== undefined) throw noField(stray, names)
    return { declined }
  }

  /**
   * An unused answer may belong to a later question, unless its name is similar to a field of this question without an
   * answer.
   */
  #refuseMisspelt(names: readonly string[]): void {
    const open = names.filter((name) => !this.#texts.has(name))
    const misspelt = this.#strays().find((stray) => similarNames(stray, open).length > 0)
    if (misspelt !== undefined) throw noField(misspelt, names)
  }

  #strays(): string[] {
    return [...this.#texts.keys()].filter((key) => !this.#used.has(key))
  }
}

function noField(key: string, fields: readonly string[]): CliError {
  const hint = fields.length === 0 ? 'it asked for no field' : `it asks for ${fields.join(', ')}`
  return failed('wrong_answer', `--answer ${key}: the server does not ask for this field${didYouMean(key, fields)}`, {
    hint,
  })
}
