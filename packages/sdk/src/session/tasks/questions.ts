/** Questions of a task that wait on the task until its requestor polls it and brings answers (D7, SEP-2663). */
import { ParleyError } from '../../errors/index.ts'
import type { Body } from '../../jsonrpc/index.ts'
import { validResponses } from '../../versions/index.ts'
import { embedded } from '../asking/question.ts'
import type { Clock } from '../clock.ts'
import { type Duration, milliseconds } from '../duration.ts'
import type { RequestOptions } from '../request-options.ts'

interface Open {
  readonly method: string
  readonly params: Body | undefined
  settle(answer: Body): void
  drop(): void
}

/** How long a question may wait, unless the handler says otherwise. */
const QUESTION_TIMEOUT: Duration = '10m'
/** Most questions of one task, those that are over included. */
const MAX_QUESTIONS = 1000

export class TaskQuestions {
  readonly #clock: Clock
  /** Writes down which questions are open now. */
  readonly #write: () => Promise<unknown>
  readonly #open = new Map<string, Open>()
  readonly #asked = new Set<string>()

  constructor(clock: Clock, write: () => Promise<unknown>) {
    this.#clock = clock
    this.#write = write
  }

  get size(): number {
    return this.#open.size
  }

  /** What the requestor sees, by key. */
  shown(): Body {
    return Object.fromEntries(
      [...this.#open].map(([key, { method, params }]) => [key, params === undefined ? { method } : { method, params }]),
    )
  }

  async ask(method: string, params: Body | undefined, options: RequestOptions): Promise<Body> {
    const answered = this.#put(method, params, options)
    // It may fail while the question is still being written down.
    answered.catch(() => {})
    try {
      await this.#write()
      return await answered
    } finally {
      await this.#write()
    }
  }

  /** Takes the answers to open questions. All others are ignored. */
  answer(responses: unknown): void {
    const methods = Object.fromEntries([...this.#open].map(([key, { method }]) => [key, method]))
    for (const [key, response] of Object.entries(validResponses(responses, methods)))
      this.#open.get(key)?.settle(response as Body)
  }

  /** The handler went on without the answers. */
  end(): void {
    for (const { drop } of [...this.#open.values()]) drop()
  }

  #put(
    method: string,
    params: Body | undefined,
    { key = 'question', signal, timeout = QUESTION_TIMEOUT }: RequestOptions,
  ): Promise<Body> {
    const name = this.#claim(key)
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const done = () => {
        stopTimer()
        signal?.removeEventListener('abort', abort)
        this.#open.delete(name)
      }
      const fail = (reason: unknown) => {
        done()
        reject(reason)
      }
      const abort = () => fail(signal?.reason)
      const stopTimer = this.#clock.after(milliseconds(timeout), () =>
        fail(new ParleyError('request_timeout', { message: `"${name}" (${method}) was not answered in time` })),
      )
      signal?.addEventListener('abort', abort, { once: true })
      const settle = (answer: Body) => {
        done()
        resolve(answer)
      }
      this.#open.set(name, { method, params: embedded(params), settle, drop: done })
    })
  }

  /** A key stands for one question as long as the task exists. A repeated key is shown under another name. */
  #claim(key: string): string {
    if (this.#asked.size >= MAX_QUESTIONS)
      throw new ParleyError('too_many_requests', {
        message: `The task has asked ${MAX_QUESTIONS} questions: no more are allowed`,
      })
    let name = key
    for (let count = 2; this.#asked.has(name); count++) name = `${key}-${count}`
    this.#asked.add(name)
    return name
  }
}
