/**
 * The vocabulary of version steps: what a rule may do to one message. Operations are data where they can be, functions
 * where they must.
 */
import type { Body } from '../jsonrpc/index.ts'
import type { Verdict } from './verdict.ts'

/** How much a user notices: `i` cosmetic, `w` noticeable, `E` the operation failed because of the version gap. */
export type Severity = 'i' | 'w' | 'E'

export interface Loss {
  readonly rule: string
  readonly method: string
  /** Where in the message: `content[1]`, `tools[3].outputSchema`. */
  readonly path: string
  readonly severity: Severity
  readonly detail: string
}

/** `lenient` leaves fields that merely look unknown to an older peer; `strict` removes them. */
export type Profile = 'lenient' | 'strict'

/**
 * What a translation may need to know beyond the message; everything is optional, and each rule says what it does
 * without.
 */
export interface TranslationContext {
  onLoss?: (loss: Loss) => void
  /** Parameters of the request that a result or an error answers, in the newest vocabulary in which they are known. */
  request?: Body
  /** The definition of a tool in the newest vocabulary, for results that are read through their schema. */
  tool?: (name: string) => Body | undefined
  /** What the client of this conversation declared, in the newest vocabulary. */
  clientCapabilities?: Body
  clientInfo?: Body
  serverInfo?: Body
  logLevel?: string
  /** Id of the listen request a notification is delivered for. */
  subscriptionId?: string | number
  /** Makes an unguessable id. */
  mint?: () => string
  /** The time in milliseconds, for messages that must tell one. */
  now?: () => number
}

/** What an editing function is given beside the value. */
export interface EditContext extends TranslationContext {
  readonly method: string
  /**
   * Reports what this edit lost; `path` is relative to the value, `rule` is needed only where the rule of the change
   * that is carried out is not the cited one.
   */
  lose(detail: string, options?: { path?: string; severity?: Severity; rule?: string }): void
}

/** Marks the value of an array element that becomes several elements, or none. */
export class Many {
  readonly values: readonly unknown[]
  constructor(values: readonly unknown[]) {
    this.values = values
  }
}

/** Returns the same reference when nothing changes; never changes its argument. */
export type Edit = (value: Body, context: EditContext) => Body | Many | Verdict

export type Operation =
  | { readonly op: 'omit'; readonly keys: readonly string[]; readonly lossless: boolean }
  | { readonly op: 'defaults'; readonly values: Readonly<Record<string, unknown>> }
  | { readonly op: 'rename'; readonly from: string; readonly to: string }
  | { readonly op: 'edit'; readonly edit: Edit; readonly splits: boolean; readonly does: string }

/** Removes fields; each one that holds data is reported unless the change declares no loss. */
export const omit = (...keys: string[]): Operation => ({ op: 'omit', keys, lossless: false })
/** Removes fields that mean nothing to the receiver and nothing to the user. */
export const omitSilently = (...keys: string[]): Operation => ({ op: 'omit', keys, lossless: true })
/** Adds fields that are absent. */
export const defaults = (values: Record<string, unknown>): Operation => ({ op: 'defaults', values })
export const rename = (from: string, to: string): Operation => ({ op: 'rename', from, to })
/** What no other operation can say; `does` is what `explain` says of it. */
export const edit = (fn: Edit, does = 'rewrites'): Operation => ({ op: 'edit', edit: fn, splits: false, does })
/** An edit that may return `Many`: what follows is numbered anew, as if the steps ran one after the other. */
export const split = (fn: Edit, does = 'rewrites'): Operation => ({ op: 'edit', edit: fn, splits: true, does })
