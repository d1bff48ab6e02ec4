/** One run of a plan over one message: what edits can ask for, and where losses are reported. */
import type { Body } from '../jsonrpc/index.ts'
import type { Instruction } from './fuse.ts'
import type { EditContext, Loss, Severity, TranslationContext } from './operation.ts'

export class Run implements EditContext {
  readonly method: string
  /** The place of the group that runs, such as `tools[]`. */
  place = ''
  /** The element each `[]` of the place is at, outermost first. */
  readonly indexes: number[] = [0, 0]
  owner: Instruction | undefined = undefined
  private readonly context: TranslationContext

  constructor(method: string, context: TranslationContext) {
    this.method = method
    this.context = context
  }

  lose(detail: string, options: { path?: string; severity?: Severity; rule?: string } = {}): void {
    const owner = this.owner
    if (this.context.onLoss === undefined || owner === undefined) return
    this.context.onLoss({
      rule: options.rule ?? owner.rule.cites ?? (owner.change.rules[0] as string),
      method: this.method,
      path: this.pathTo(options.path),
      severity: options.severity ?? owner.change.severity ?? 'i',
      detail,
    })
  }

  private pathTo(inner: string | undefined): string {
    let place = this.place
    for (let at = place.indexOf('[]'), depth = 0; at !== -1; at = place.indexOf('[]', at), depth++) {
      place = `${place.slice(0, at)}[${this.indexes[depth]}]${place.slice(at + 2)}`
    }
    if (inner === undefined) return place
    return place === '' ? inner : `${place}.${inner}`
  }

  get onLoss(): ((loss: Loss) => void) | undefined {
    return this.context.onLoss
  }
  get request(): Body | undefined {
    return this.context.request
  }
  get tool(): ((name: string) => Body | undefined) | undefined {
    return this.context.tool
  }
  get clientCapabilities(): Body | undefined {
    return this.context.clientCapabilities
  }
  get clientInfo(): Body | undefined {
    return this.context.clientInfo
  }
  get serverInfo(): Body | undefined {
    return this.context.serverInfo
  }
  get logLevel(): string | undefined {
    return this.context.logLevel
  }
  get subscriptionId(): string | number | undefined {
    return this.context.subscriptionId
  }
  get mint(): (() => string) | undefined {
    return this.context.mint
  }
  get now(): (() => number) | undefined {
    return this.context.now
  }
}
