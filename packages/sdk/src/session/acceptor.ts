/** A server as a client in the same process needs it: it accepts one end of a link. */
import type { Link } from '../jsonrpc/index.ts'
import type { SessionOptions } from './options.ts'
import type { SessionView } from './session-view.ts'

/** Settings of one conversation; what is left out is taken from the server. */
export interface AcceptOptions extends Omit<Partial<SessionOptions>, 'role' | 'link' | 'endpoint'> {
  /** For a caller in the same process: told what a tool threw, with the text the caller reads. */
  onToolError?: ((text: string, thrown: unknown) => void) | undefined
}

/**
 * By tool name: what a caller sends, and what comes back as structured content (`undefined` where nothing is declared).
 */
export type ToolTypes = Record<string, { input: unknown; output: unknown }>

export interface Acceptor<Tools = unknown> {
  /** Begins one conversation; the server's side of the handshake happens when the peer asks for it. */
  accept(link: Link, options?: AcceptOptions): SessionView
  /** Throws an error that would fail every conversation, so that it appears before the first client. */
  ready?(): void
  /** The output schema a tool declares, for clients in the same process: older versions cannot tell them. */
  outputSchema?(tool: string): Record<string, unknown> | Promise<Record<string, unknown>> | undefined
  /** Only a type: never set. */
  readonly '~tools'?: Tools
}
