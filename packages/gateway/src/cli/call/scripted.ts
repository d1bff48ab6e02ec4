/** Answers that stand on the command line, for whichever questions the server puts. */
import type { ElicitValue, FormSchema } from 'parley-mcp'
import { type CliError, failed } from '../failure.ts'
import { didYouMean } from '../nearest.ts'
import { readField } from './field.ts'
import { pairOf } from './typed.ts'

/** What to fill in, or the field that has to be filled in and has no answer. */
export type Scripted = { readonly content: Record<string, ElicitValue> } | { readonly missing: string }

export class ScriptedAnswers {
  readonly #texts: ReadonlyMap<string, string>
  readonly #used = new Set<string>()
  readonly #asked = new Set<string>()

  constructor(pairs: readonly string[]) {
    this.#texts = new Map(pairs.map((pair) => pairOf(pair, '--answer')))
  }

  /** Throws what was written wrong. */
  fill({ properties, required = [] }: FormSchema): Scripted {
    const names = Object.keys(properties)
    for (const name of names) {
      this.#asked.add(name)
      if (this.#texts.has(name)) this.#used.add(name)
    }
    // Not set one by one: a field may have a name that objects treat in their own way.
    const content: [string, ElicitValue][] = []
    for (const [name, schema] of Object.entries(properties)) {
      const text = this.#texts.get(name)
      if (text === undefined) {
        if (!required.includes(name) || schema.default !== undefined) continue
        const [stray] = this.#strays()
        if (stray !== undefined) throw noField(stray, names)
        return { missing: name }
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

  #strays(): string[] {
    return [...this.#texts.keys()].filter((key) => !this.#used.has(key))
  }
}

function noField(key: string, fields: readonly string[]): CliError {
  const hint = fields.length === 0 ? 'it asked nothing' : `it asks for ${fields.join(', ')}`
  return failed('wrong_answer', `--answer ${key}: the server asks for no such field${didYouMean(key, fields)}`, { hint })
}
