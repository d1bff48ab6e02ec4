/** Suggestions for the arguments of prompts and templates. */
import type { CompleteResult } from '../protocol/index.ts'

export interface CompletionContext {
  /** Arguments that are filled in already. */
  readonly arguments: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

type Values = readonly string[]

/**
 * A list is filtered by what was typed, whatever the case; so is what a function returns that takes no parameters.
 * A function that takes the prefix decides for itself what fits.
 */
export type Completer = Values | ((prefix: string, context: CompletionContext) => Values | Promise<Values>)

export type Completers = Readonly<Record<string, Completer>>

const MAX_VALUES = 100

export async function complete(
  completer: Completer | undefined,
  prefix: string,
  context: CompletionContext,
): Promise<CompleteResult> {
  if (completer === undefined) return suggest([])
  if (typeof completer !== 'function') return suggest(startingWith(prefix, completer))
  const values = await completer(prefix, context)
  if (!Array.isArray(values)) throw new TypeError('A completer must return a list of strings')
  return suggest(completer.length === 0 ? startingWith(prefix, values) : values)
}

function startingWith(prefix: string, values: Values): Values {
  const sought = prefix.toLowerCase()
  return values.filter((value) => String(value).toLowerCase().startsWith(sought))
}

function suggest(values: Values): CompleteResult {
  return {
    completion: {
      values: values.slice(0, MAX_VALUES).map(String),
      total: values.length,
      hasMore: values.length > MAX_VALUES,
    },
  }
}
