/**
 * Arrays of messages, which only 2025-03-26 has: taken apart on arrival, their answers joined into one array (A-01,
 * B-01).
 */
import { type ErrorKind, ParleyError } from '../errors/index.ts'
import { errorText, type Incoming, type RequestId } from '../jsonrpc/index.ts'

/** Collects the answers to one batch, in the order of its requests, whatever the order in which they come. */
export class BatchAnswer {
  private readonly texts: (string | undefined)[] = []
  private readonly waiting = new Map<RequestId, number>()

  /** Ids of requests without an answer. */
  get awaited(): readonly RequestId[] {
    return [...this.waiting.keys()]
  }

  awaits(id: RequestId): boolean {
    return this.waiting.has(id)
  }

  /** A request that will be answered later. */
  expect(id: RequestId): void {
    this.waiting.set(id, this.texts.length)
    this.texts.push(undefined)
  }

  /** An answer that is known already, to something that is no request to be run. */
  include(text: string): void {
    this.texts.push(text)
  }

  /** Takes the answer to one request, as JSON text; returns the whole array with the last one. */
  answer(id: RequestId, text: string): string | undefined {
    const at = this.waiting.get(id)
    if (at === undefined) return undefined
    this.waiting.delete(id)
    this.texts[at] = text
    return this.text()
  }

  /**
   * A request that will never be answered, because it was cancelled; returns the whole array if it was the last one
   * awaited.
   */
  abandon(id: RequestId): string | undefined {
    return this.waiting.delete(id) ? this.text() : undefined
  }

  /**
   * The array, once nothing is awaited; nothing at all when there is nothing to answer, since an empty array is no
   * message.
   */
  text(): string | undefined {
    if (this.waiting.size > 0) return undefined
    const known = this.texts.filter((text) => text !== undefined)
    return known.length === 0 ? undefined : `[${known.join(',')}]`
  }
}

export interface SplitBatch {
  /** What is to be handled one by one, in order: requests, notifications and answers. */
  readonly messages: readonly Incoming[]
  readonly answer: BatchAnswer
  /** The array to send at once, when there are refusals and no request is awaited. */
  readonly reply: string | undefined
}

export function splitBatch(items: readonly Incoming[]): SplitBatch {
  const answer = new BatchAnswer()
  const messages: Incoming[] = []
  for (const item of items) {
    if (item.kind === 'batch') answer.include(refusal(null, 'batch_invalid', 'A batch must not contain a batch'))
    else if (item.kind === 'invalid') refuseInvalid(item, answer)
    else if (item.kind !== 'request') messages.push(item)
    else if (item.message.method === 'initialize')
      answer.include(refusal(item.message.id, 'batch_invalid', 'initialize must not be part of a batch'))
    else if (answer.awaits(item.message.id))
      answer.include(refusal(item.message.id, 'duplicate_request_id', 'Two requests of a batch have the same id'))
    else {
      answer.expect(item.message.id)
      messages.push(item)
    }
  }
  return { messages, answer, reply: answer.text() }
}

/** A malformed answer is not answered. */
function refuseInvalid(item: Extract<Incoming, { kind: 'invalid' }>, answer: BatchAnswer): void {
  if (!item.isAnswer) answer.include(errorText(item.id ?? null, item.error))
}

function refusal(id: RequestId | null, kind: ErrorKind, message: string): string {
  return errorText(id, new ParleyError(kind, { message }).toWire())
}
