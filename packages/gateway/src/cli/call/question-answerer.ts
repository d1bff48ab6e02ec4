/** Answers the questions of a server with the answers of the command line, or asks the user at the terminal. */
import { createInterface, type Interface } from 'node:readline'
import type { ElicitValue, FormSchema } from 'parley-mcp'
import type { ElicitQuestion, ElicitReply } from 'parley-mcp/client'
import { CliError } from '../failure.ts'
import type { CliIo } from '../terminal/io.ts'
import { indent, printable } from '../terminal/text.ts'
import { promptFor, readField } from './form-field.ts'
import { ScriptedAnswers } from './scripted-answers.ts'

export interface AnswerOptions {
  answer?: readonly string[]
  decline?: boolean
}

const ATTEMPTS = 5

export class QuestionAnswerer {
  readonly #io: CliIo
  readonly #answers: ScriptedAnswers | undefined
  readonly #decline: boolean
  readonly #terminal: TerminalInput
  readonly #onMistake: (mistake: CliError) => void
  /** One question at a time, because there is one terminal. */
  #turn: Promise<unknown> = Promise.resolve()

  /**
   * `onMistake`: called if an answer of the command line does not fit the question. The user has to correct it, so the
   * server gets no answer.
   */
  constructor(io: CliIo, { answer, decline = false }: AnswerOptions, onMistake: (mistake: CliError) => void) {
    this.#io = io
    this.#answers = answer === undefined ? undefined : new ScriptedAnswers(answer)
    this.#onMistake = onMistake
    this.#decline = decline
    this.#terminal = new TerminalInput(io)
  }

  /** Whether a question can be answered. The client declares this, and it decides which clients share a server. */
  get canBeAsked(): boolean {
    return !this.#decline && (this.#answers !== undefined || this.#io.stdin.isTTY === true)
  }

  answer(question: ElicitQuestion): Promise<ElicitReply> {
    const turn = this.#turn.then(() => this.#reply(question))
    this.#turn = turn.catch(() => {})
    return turn
  }

  close(): void {
    this.#terminal.close()
  }

  /** Writes a note for each answer that no question used. */
  noteUnused(): void {
    for (const note of this.#answers?.unused() ?? []) this.#note(note)
  }

  async #reply(question: ElicitQuestion): Promise<ElicitReply> {
    if (this.#answers !== undefined && question.schema !== undefined)
      return this.#scripted(question, question.schema, this.#answers)
    if (this.#io.stdin.isTTY !== true) return this.#declined(question, 'there is no terminal to ask the user')
    this.#note(`${question.server?.name ?? 'The server'} asks:\n${indent(question.message)}`)
    return question.schema === undefined ? await this.#link(question) : await this.#form(question, question.schema)
  }

  #scripted(question: ElicitQuestion, schema: FormSchema, answers: ScriptedAnswers): ElicitReply {
    try {
      const filled = answers.fill(schema)
      if ('declined' in filled) return this.#declined(question, filled.declined)
      return { action: 'accept', content: filled.content }
    } catch (error) {
      if (!(error instanceof CliError)) throw error
      this.#onMistake(error)
      return 'cancel'
    }
  }

  async #form({ signal }: ElicitQuestion, { properties, required = [] }: FormSchema): Promise<ElicitReply> {
    const consent = await this.#yesOrNo('  Do you want to answer? Type yes, or no to decline: ', signal)
    if (consent !== true) return consent === false ? 'decline' : 'cancel'
    // Not set one by one, because a field may be named `__proto__`.
    const content: [string, ElicitValue][] = []
    for (const [name, schema] of Object.entries(properties)) {
      const mustBe = required.includes(name) && schema.default === undefined
      const value = await this.#field(
        printable(promptFor(name, schema, required.includes(name))),
        (text) => {
          if (text === '') return mustBe ? { problem: 'an answer is required' } : {}
          return readField(schema, text)
        },
        signal,
      )
      if (value === 'gone') return 'cancel'
      if (value.value !== undefined) content.push([name, value.value])
    }
    return { action: 'accept', content: Object.fromEntries(content) }
  }

  /** Never opens the address. Only the user can decide to trust it. */
  async #link({ url, signal }: ElicitQuestion): Promise<ElicitReply> {
    this.#note(`  Open this address if you trust it:\n  ${url}`)
    const consent = await this.#yesOrNo('  Is it done? Type yes, or no to decline: ', signal)
    return consent === undefined ? 'cancel' : consent ? 'accept' : 'decline'
  }

  async #yesOrNo(prompt: string, signal: AbortSignal): Promise<boolean | undefined> {
    const read = await this.#field(prompt, (text) => readField({ type: 'boolean' }, text), signal)
    return read === 'gone' ? undefined : (read.value as boolean)
  }

  async #field(
    prompt: string,
    read: (text: string) => { value?: ElicitValue } | { problem: string },
    signal: AbortSignal,
  ): Promise<{ value?: ElicitValue } | 'gone'> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const text = await this.#terminal.ask(prompt, signal)
      if (text === undefined) return 'gone'
      const found = read(text)
      if (!('problem' in found)) return found
      this.#note(`  ${found.problem}`)
    }
    return 'gone'
  }

  #declined({ message }: ElicitQuestion, why: string): ElicitReply {
    this.#note(`declined (${why}): ${message}`)
    return 'decline'
  }

  #note(text: string): void {
    this.#io.stderr.write(`${printable(text)}\n`)
  }
}

/** TerminalInput that the user types at the terminal. */
class TerminalInput {
  readonly #io: CliIo
  #reading: Interface | undefined
  #iterator: AsyncIterator<string> | undefined

  constructor(io: CliIo) {
    this.#io = io
  }

  /** Undefined if the input has ended, or the question was cancelled. */
  async ask(prompt: string, signal: AbortSignal): Promise<string | undefined> {
    if (signal.aborted) return undefined
    this.#io.stderr.write(prompt)
    // The terminal itself edits the line, so that Ctrl-C still reaches this program.
    this.#reading ??= createInterface({ input: this.#io.stdin, terminal: false })
    this.#iterator ??= this.#reading[Symbol.asyncIterator]()
    const aborted = new Promise<undefined>((resolve) =>
      signal.addEventListener('abort', () => resolve(undefined), { once: true }),
    )
    const next = await Promise.race([this.#iterator.next(), aborted])
    return next === undefined || next.done === true ? undefined : next.value
  }

  /** Stops waiting for input. */
  close(): void {
    this.#reading?.close()
  }
}
