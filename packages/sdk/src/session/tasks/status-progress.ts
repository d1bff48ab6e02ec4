/**
 * Progress of a call that became a task of the extension, which has none for tasks: what is new in the words of its
 * status is one step more (D7).
 */

import { guarded } from '../outgoing/request-frame.ts'
import type { Progress } from '../request-options.ts'
import type { PolledTask } from './polled-task.ts'
import { isTerminal } from './status.ts'

export class StatusProgress {
  readonly #tell: (progress: Progress) => unknown
  readonly #onError: (error: unknown) => void
  /** What was told before there was a task counts: values must grow. */
  #last = 0

  constructor(tell: (progress: Progress) => unknown, onError: (error: unknown) => void) {
    this.#tell = tell
    this.#onError = onError
  }

  /** For what the call itself tells. */
  readonly onProgress = (progress: Progress): unknown => {
    this.#last = Math.max(this.#last, progress.progress)
    return this.#tell(progress)
  }

  /** Looks at the task from time to time; returns how to stop. */
  follow(task: PolledTask): () => void {
    let told: string | undefined
    const hear = ({ status, statusMessage: message }: PolledTask['latest']): void => {
      if (message === undefined || message === told || isTerminal(status)) return
      told = message
      // A whole number more, whatever fraction the call got to.
      this.#last = Math.floor(this.#last) + 1
      guarded(() => this.#tell({ progress: this.#last, message }), this.#onError)
    }
    hear(task.latest)
    return task.onStatus(hear)
  }
}
