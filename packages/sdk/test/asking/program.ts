/** Handlers as random programs: what they ask and do, and what must come of it whatever way the questions travel. */
import fc from 'fast-check'
import type { ElicitQuestion, SampleQuestion } from '../../src/client.ts'
import { type Context, ToolError } from '../../src/server.ts'

export type Ask = { readonly ask: 'elicit' | 'sample' | 'roots'; readonly key: string }
export type Step =
  | Ask
  | { readonly all: readonly Ask[] }
  | { readonly once: string; readonly fails: boolean }
  | { readonly progress: number }
  | { readonly log: string }
  | { readonly unlessAccepted: string }
  | { readonly fail: 'tool' | 'masked' }

export type Program = readonly Step[]

export interface Outcome {
  /** The text of the result, or of the failure the model reads; `masked` for a failure nobody is told about. */
  readonly said: string
  /** Effects in the order in which they happened. */
  readonly effects: readonly string[]
}

/** Every question gets a key of its own; where the client cannot be asked for forms, none are. */
export function programs(withForms: boolean): fc.Arbitrary<Program> {
  const kinds = withForms ? (['elicit', 'sample', 'roots'] as const) : (['sample', 'roots'] as const)
  const ask = fc.record({ ask: fc.constantFrom(...kinds), key: fc.constant('') })
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 5, arbitrary: ask },
    { weight: 2, arbitrary: fc.array(ask, { minLength: 2, maxLength: 3 }).map((all) => ({ all })) },
    { weight: 3, arbitrary: fc.boolean().map((fails) => ({ once: '', fails })) },
    { weight: 1, arbitrary: fc.nat(100).map((progress) => ({ progress })) },
    { weight: 1, arbitrary: fc.constantFrom('debug', 'warning').map((log) => ({ log })) },
    { weight: withForms ? 1 : 0, arbitrary: fc.constant({ unlessAccepted: '' }) },
    { weight: 1, arbitrary: fc.constantFrom('tool' as const, 'masked' as const).map((fail) => ({ fail })) },
  )
  return fc.array(step, { maxLength: 7 }).map(withKeys)
}

function withKeys(program: Program): Program {
  let count = 0
  const keyed = (asked: Ask): Ask => ({ ...asked, key: `${asked.ask}-${++count}` })
  return program.map((step) => {
    if ('ask' in step) return keyed(step)
    if ('all' in step) return { all: step.all.map(keyed) }
    if ('once' in step) return { ...step, once: `effect-${++count}` }
    if ('unlessAccepted' in step) return { unlessAccepted: `elicit-${++count}` }
    return step
  })
}

export const FORM = { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] } as const

/** A user who answers every question in the same way each time: by its key. */
export function wordFor(key: string): { action: 'accept' | 'decline' | 'cancel'; word: string } {
  const sum = [...key].reduce((total, letter) => total * 31 + letter.charCodeAt(0), 7)
  return {
    action: (['accept', 'accept', 'decline', 'cancel'] as const)[Math.abs(sum) % 4] as 'accept',
    word: `word of ${key}`,
  }
}

export const user = {
  elicit: ({ message }: ElicitQuestion) => {
    const { action, word } = wordFor(message)
    return action === 'accept' ? { action, content: { word } } : action
  },
  sample: ({ messages }: SampleQuestion) => {
    const content = messages[0]?.content as { text: string }
    return {
      role: 'assistant' as const,
      model: 'parrot',
      content: { type: 'text' as const, text: `said ${content.text}` },
    }
  },
  roots: [{ uri: 'file:///home' }],
}

/** Runs a program as a handler would be written. */
export async function run(program: Program, ctx: Context, perform: (effect: string) => void): Promise<string> {
  const said: string[] = []
  for (const step of program) {
    if ('ask' in step) said.push(await askFor(step, ctx))
    else if ('all' in step) said.push(...(await Promise.all(step.all.map((each) => askFor(each, ctx)))))
    else if ('once' in step) said.push(await once(step.once, step.fails, ctx, perform))
    else if ('progress' in step) ctx.progress(step.progress, 100)
    else if ('log' in step) ctx.log(step.log as 'debug', { at: said.length })
    else if ('unlessAccepted' in step) {
      const answer = await ctx.elicit(step.unlessAccepted, step.unlessAccepted, FORM)
      if (answer.action !== 'accept') return [...said, 'stopped'].join('; ')
    } else if (step.fail === 'tool') throw new ToolError([...said, 'failed'].join('; '))
    else throw new TypeError('nobody is told')
  }
  return said.join('; ')
}

async function askFor({ ask, key }: Ask, ctx: Context): Promise<string> {
  if (ask === 'elicit') {
    const answer = await ctx.elicit(key, key, FORM)
    return answer.action === 'accept' ? answer.content.word : answer.action
  }
  if (ask === 'sample') return ((await ctx.sample(key, key)).content as { text: string }).text
  return (await ctx.roots(key)).map(({ uri }) => uri).join()
}

async function once(key: string, fails: boolean, ctx: Context, perform: (effect: string) => void): Promise<string> {
  try {
    return await ctx.once(key, async () => {
      perform(key)
      if (fails) throw new Error(`${key} went wrong`)
      return `done ${key}`
    })
  } catch (error) {
    return (error as Error).message
  }
}

/** What a program means, told without any protocol. */
export function meaningOf(program: Program): Outcome {
  const said: string[] = []
  const effects: string[] = []
  const answerTo = ({ ask, key }: Ask): string => {
    if (ask === 'roots') return 'file:///home'
    if (ask === 'sample') return `said ${key}`
    const { action, word } = wordFor(key)
    return action === 'accept' ? word : action
  }
  for (const step of program) {
    if ('ask' in step) said.push(answerTo(step))
    else if ('all' in step) said.push(...step.all.map(answerTo))
    else if ('once' in step) {
      effects.push(step.once)
      said.push(step.fails ? `${step.once} went wrong` : `done ${step.once}`)
    } else if ('unlessAccepted' in step) {
      if (wordFor(step.unlessAccepted).action !== 'accept') return { said: [...said, 'stopped'].join('; '), effects }
    } else if ('fail' in step)
      return { said: step.fail === 'tool' ? [...said, 'failed'].join('; ') : 'masked', effects }
  }
  return { said: said.join('; '), effects }
}
