/**
 * The two ways to fail: `ParleyError`, a catalogue entry that travels as a JSON-RPC error, and `ToolError`, which the
 * model reads.
 */
import { catalogue, codeOf, type ErrorKind, isErrorKind, mayEmit } from './catalogue.ts'
import type { Advice } from './kinds/entry.ts'

export interface WireError {
  code: number
  message: string
  data?: unknown
}

export interface ParleyErrorOptions {
  /** Replaces the message of the catalogue. */
  message?: string
  /** Sent to the peer in `error.data`. */
  data?: Record<string, unknown>
  /** Kept for the local log; never sent. */
  cause?: unknown
  /** A code received from a peer, kept as it was; also for an error that says more than the one it is made of. */
  code?: number
  /** The error as a peer sent it, which says the same as this one. */
  received?: WireError
  /** The receiver speaks the version of the code, so the code keeps its meaning. */
  handedOn?: boolean
}

/** `data` key under which the catalogue name of an error travels. */
export const KIND_KEY = 'parley/kind'

/** Kinds whose name says no more than their JSON-RPC code: they carry no `parley/kind`. */
const PLAIN: ReadonlySet<ErrorKind> = new Set([
  'parse_error',
  'invalid_request',
  'method_not_found',
  'invalid_params',
  'internal_error',
])

export class ParleyError extends Error {
  override readonly name: string = 'ParleyError'
  readonly kind: ErrorKind
  readonly data: Record<string, unknown> | undefined
  /** Set when the error came from a peer. The code is kept wherever the version allows it. */
  readonly receivedCode: number | undefined
  readonly #received: WireError | undefined
  readonly #handedOn: boolean

  constructor(kind: ErrorKind, options: ParleyErrorOptions = {}) {
    super(
      options.message ?? catalogue[kind].message,
      options.cause === undefined ? undefined : { cause: options.cause },
    )
    this.kind = kind
    this.data = options.data
    this.receivedCode = options.code
    this.#received = options.received
    this.#handedOn = options.handedOn === true
  }

  /** As the peer sent it, to be passed on. */
  get received(): WireError | undefined {
    return this.#received
  }

  get code(): number {
    return this.receivedCode ?? codeOf(this.kind)
  }

  get recoverable(): boolean {
    return catalogue[this.kind].recoverable
  }

  get advice(): Advice {
    return catalogue[this.kind].advice
  }

  get httpStatus(): number {
    return catalogue[this.kind].httpStatus
  }

  /** The error for a peer of the given version: always serialisable, never with a stack or a cause. */
  toWire(version?: string): WireError {
    const wire: WireError = { code: codeOf(this.kind, version), message: this.message }
    const extra: Record<string, unknown> = {}
    if (this.receivedCode === undefined) {
      if (!PLAIN.has(this.kind)) extra[KIND_KEY] = this.kind
    } else if (this.#handedOn || mayEmit(this.receivedCode, version)) {
      wire.code = this.receivedCode
    } else if (wire.code === codeOf('internal_error')) {
      extra['originalCode'] = this.receivedCode
    }
    const data = serialisable(this.#received === undefined ? this.data : this.#received.data, extra)
    if (data !== undefined) wire.data = data
    return wire
  }
}

export interface ToolErrorOptions {
  /** Machine-readable details, sent as `structuredContent` where the version has it. */
  structured?: Record<string, unknown>
  /** Where a caller gets the error: the whole outcome of the call. */
  outcome?: unknown
  cause?: unknown
}

/** A failure the model should read and react to: it becomes a tool result with `isError: true`. */
export class ToolError extends Error {
  override readonly name: string = 'ToolError'
  readonly structured: Record<string, unknown> | undefined
  /** No member of its own, so that tests can compare errors. */
  readonly #outcome: unknown

  constructor(message: string, options: ToolErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.structured = options.structured
    this.#outcome = options.outcome
  }

  /** Where a caller gets the error: the whole outcome of the call. */
  get outcome(): unknown {
    return this.#outcome
  }
}

/**
 * Makes exactly one catalogue error of any thrown value. Details that are not for the peer are masked and kept as
 * `cause`.
 */
export function toParleyError(thrown: unknown): ParleyError {
  try {
    if (thrown instanceof ParleyError) return thrown
    if (thrown instanceof Error && thrown.name === 'AbortError')
      return new ParleyError('request_cancelled', { cause: thrown })
    if (thrown instanceof Error && thrown.name === 'TimeoutError')
      return new ParleyError('request_timeout', { cause: thrown })
  } catch {
    // A value whose own accessors throw is still only an internal error.
  }
  return new ParleyError('internal_error', { cause: thrown })
}

const KIND_BY_CODE: ReadonlyMap<number, ErrorKind> = new Map<number, ErrorKind>([
  [-32700, 'parse_error'],
  [-32600, 'invalid_request'],
  [-32601, 'method_not_found'],
  [-32602, 'invalid_params'],
  [-32603, 'internal_error'],
  [-32002, 'resource_not_found'],
  [-32042, 'url_elicitation_required'],
  [-32020, 'header_mismatch'],
  [-32021, 'missing_client_capability'],
  [-32022, 'unsupported_protocol_version'],
  [-1, 'user_rejected'],
])

/**
 * An error received from a peer, with its code and data kept as they came. `handedOn`: for a peer of the same version.
 */
export function fromWire(wire: WireError, handedOn = false): ParleyError {
  const { code, message, data } = wire
  const named = isRecord(data) ? data[KIND_KEY] : undefined
  const kind = isErrorKind(named) ? named : (KIND_BY_CODE.get(code) ?? 'internal_error')
  const options: ParleyErrorOptions = {
    message,
    code,
    handedOn,
    received: data === undefined ? { code, message } : { code, message, data },
  }
  if (data !== undefined) options.data = isRecord(data) ? data : { value: data }
  return withoutStack(() => new ParleyError(kind, options))
}

/** Without a stack: for a received error it would name frames of the engine only, at ten times the cost. */
function withoutStack<T>(make: () => T): T {
  const errors = Error as { stackTraceLimit?: number }
  const limit = errors.stackTraceLimit
  errors.stackTraceLimit = 0
  try {
    return make()
  } finally {
    if (limit === undefined) delete errors.stackTraceLimit
    else errors.stackTraceLimit = limit
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** `data` with `extra`, or what of it can be written as JSON: an error must reach the peer whatever its data is. */
function serialisable(data: unknown, extra: Record<string, unknown>): unknown {
  const plain = snapshot(data)
  if (Object.keys(extra).length === 0) return plain
  return { ...(isRecord(plain) || plain === undefined ? plain : { value: plain }), ...extra }
}

/** The value as a peer will read it; parts that cannot be written are marked, not lost. */
function snapshot(value: unknown): unknown {
  if (value === undefined) return undefined
  try {
    return factsOf(value) ?? reread(value)
  } catch {
    return isRecord(value) ? snapshotParts(value) : UNREADABLE
  }
}

/** Most data is a few plain values, which can be copied without text. */
function factsOf(value: unknown): Record<string, unknown> | undefined {
  if (!isRecord(value) || Object.getPrototypeOf(value) !== Object.prototype) return undefined
  const facts: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const fact = value[key]
    if (typeof fact !== 'string' && typeof fact !== 'boolean' && !Number.isFinite(fact)) return undefined
    facts[key] = fact
  }
  return facts
}

function reread(value: unknown): unknown {
  const text: string | undefined = JSON.stringify(value)
  return text === undefined ? undefined : JSON.parse(text)
}

function snapshotParts(value: Record<string, unknown>): Record<string, unknown> {
  const parts: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    try {
      const part = reread(value[key])
      if (part !== undefined) parts[key] = part
    } catch {
      parts[key] = UNREADABLE
    }
  }
  return parts
}

const UNREADABLE = '[not serialisable]'
