/** Frames of requests and results: the context of their translation, and the text that goes on as it came. */
import { type Body, isWorthNoting, noteParts, noteText, resultIn } from '../../jsonrpc/index.ts'
import type { TranslationContext } from '../../versions/index.ts'
import type { SessionCore } from '../core.ts'
import type { EngineRequestOptions } from '../request-options.ts'
import type { Pending } from './pending.ts'

/** The facts for the translation of the request and its result, and who gets the losses. */
export function contextOf(
  core: SessionCore,
  { params, options }: Pick<Pending, 'params' | 'options'>,
): TranslationContext {
  const context = core.translationContext(params)
  const tell = options?.onLoss
  if (tell !== undefined)
    context.onLoss = (loss) => {
      core.onLoss(loss)
      tell(loss)
    }
  return context
}

export function textOf(core: SessionCore, pending: Pending): string {
  const { id, route, params, options } = pending
  const translated =
    route?.paramsDown === undefined || options?.relayed === true
      ? params
      : core.translate(route.paramsDown, params, contextOf(core, { params: undefined, options }))
  return pending.era.requestText(pending, translated, options?.onProgress === undefined ? undefined : id)
}

/** Only one line of JSON is passed on as text. `own` is the result without its envelope, `known` is its translation. */
export function tellText(
  { onText, keepsText }: EngineRequestOptions,
  frame: string,
  result: Body,
  own: Body,
  known: Body,
): void {
  if (onText === undefined && (keepsText !== true || (known !== result && !isWorthNoting(frame)))) return
  const json = resultIn(frame)
  if (json === undefined) return
  onText?.(json, known === result)
  if (keepsText !== true) return
  if (known === own) noteText(json, result, known)
  else noteParts(json, result)
}

/** Calls code that may fail, now or later. */
export function guarded(call: () => unknown, report: (error: unknown) => void): void {
  try {
    const outcome = call()
    if (outcome instanceof Promise) outcome.catch(report)
  } catch (error) {
    report(error)
  }
}
