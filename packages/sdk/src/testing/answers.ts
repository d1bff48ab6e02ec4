/** Scripted answers to questions of a server: in order, or by question. */
import type { ElicitQuestion, ElicitReply, SampleQuestion, SampleReply } from '../client/index.ts'

type ScriptedQuestion = ElicitQuestion | SampleQuestion
type ScriptedReply = ElicitReply | SampleReply

/** A fixed answer, or a function of the question. */
export type ScriptedAnswer<R extends ScriptedReply = ScriptedReply> = R | ((question: never) => R | Promise<R>)

/** A list is used in order. A record is searched by the key or by a part of the text of the question. */
export type Script = readonly ScriptedAnswer[] | Readonly<Record<string, ScriptedAnswer | readonly ScriptedAnswer[]>>

export interface Answers {
  // A handler for `elicit` and for `sample`.
  (question: ScriptedQuestion): Promise<never>
  /** The texts of all questions so far. */
  readonly asked: readonly string[]
  /** Throws if a question had no answer in the script, or if answers are left. */
  done(): void
}

/** The script has no answer to a question. */
export class Unscripted extends Error {}

export function answers(script: Script): Answers {
  const left = queues(script)
  const asked: string[] = []
  const unexpected: string[] = []

  const answer = async (question: ScriptedQuestion): Promise<ScriptedReply> => {
    const text = textOf(question)
    asked.push(text)
    const queue = left.find((candidate) => candidate.answers.length > 0 && matches(candidate.name, question, text))
    if (queue === undefined) {
      unexpected.push(text)
      throw new Unscripted(`The script has no answer to ${JSON.stringify(text)}`)
    }
    const next = queue.answers.shift()
    return typeof next === 'function' ? next(question as never) : (next as ScriptedReply)
  }

  return Object.assign(answer as (question: ScriptedQuestion) => Promise<never>, {
    asked: asked as readonly string[],
    done: () => {
      if (unexpected.length > 0)
        throw new Error(`Asked but not in the script: ${unexpected.map((text) => JSON.stringify(text)).join(', ')}`)
      const over = left.filter((queue) => queue.answers.length > 0)
      if (over.length > 0) throw new Error(`Scripted but never asked: ${over.map(describe).join(', ')}`)
    },
  })
}

export function isAnswers(value: unknown): value is Answers {
  return typeof value === 'function' && typeof (value as Partial<Answers>).done === 'function'
}

interface Queue {
  /** Undefined matches every question. */
  readonly name: string | undefined
  readonly answers: ScriptedAnswer[]
}

function queues(script: Script): Queue[] {
  if (Array.isArray(script)) return [{ name: undefined, answers: [...script] }]
  return Object.entries(script).map(([name, given]) => ({
    name,
    answers: Array.isArray(given) ? [...given] : [given as ScriptedAnswer],
  }))
}

function matches(name: string | undefined, question: ScriptedQuestion, text: string): boolean {
  return name === undefined || ('key' in question && question.key === name) || text.includes(name)
}

function textOf(question: ScriptedQuestion): string {
  if ('message' in question) return question.message
  const content = question.messages[question.messages.length - 1]?.content
  const blocks = Array.isArray(content) ? content : content === undefined ? [] : [content]
  return blocks.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n')
}

function describe({ name, answers: left }: Queue): string {
  const count = `${left.length} answer${left.length === 1 ? '' : 's'}`
  return name === undefined ? count : `${count} to ${JSON.stringify(name)}`
}
