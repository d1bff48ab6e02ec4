/** The phases of a session as two tables: the transitions, and the methods that may arrive in each phase. */
import type { Side } from '../protocol/index.ts'

export type ClientPhase = 'pre_initialization' | 'initializing' | 'initialized' | 'error' | 'closed'
export type ServerPhase = 'initialization' | 'initialized' | 'ready' | 'shutting_down' | 'closed'
export type Phase = ClientPhase | ServerPhase

/**
 * `initialize` sent or received; `accept` its result received, or `notifications/initialized` received; `fail` the
 * handshake failed; `shutdown` no new work; `close` the end.
 */
export const phaseEvents = ['initialize', 'accept', 'fail', 'shutdown', 'close'] as const
export type PhaseEvent = (typeof phaseEvents)[number]

type Transitions<P extends string> = Readonly<Record<P, Readonly<Partial<Record<PhaseEvent, P>>>>>

export const clientTransitions: Transitions<ClientPhase> = {
  pre_initialization: { initialize: 'initializing', close: 'closed' },
  initializing: { accept: 'initialized', fail: 'error', close: 'closed' },
  initialized: { close: 'closed' },
  error: { close: 'closed' },
  closed: {},
}

export const serverTransitions: Transitions<ServerPhase> = {
  initialization: { initialize: 'initialized', close: 'closed' },
  initialized: { accept: 'ready', close: 'closed' },
  ready: { shutdown: 'shutting_down', close: 'closed' },
  shutting_down: { close: 'closed' },
  closed: {},
}

const transitions: Readonly<Record<Side, Transitions<string>>> = {
  client: clientTransitions,
  server: serverTransitions,
}
const firstPhase: Readonly<Record<Side, Phase>> = { client: 'pre_initialization', server: 'initialization' }

/** The phase after an event; `undefined` when the event has no place in this phase. */
export function next(side: Side, phase: Phase, event: PhaseEvent): Phase | undefined {
  return transitions[side][phase]?.[event] as Phase | undefined
}

/** Requests of the peer that are answered in a phase: these few, or everything but `initialize`. */
type Admission = readonly string[] | 'everything'

export const admissions: Readonly<Record<Side, Readonly<Record<string, Admission>>>> = {
  server: {
    initialization: ['initialize', 'ping'],
    initialized: 'everything',
    ready: 'everything',
    shutting_down: ['ping'],
    closed: [],
  },
  client: { pre_initialization: ['ping'], initializing: ['ping'], initialized: 'everything', error: [], closed: [] },
}

export function admits(side: Side, phase: Phase, method: string): boolean {
  const admission = admissions[side][phase] ?? []
  return admission === 'everything' ? method !== 'initialize' : admission.includes(method)
}

export interface PhaseChange {
  readonly from: Phase
  readonly to: Phase
  readonly event: PhaseEvent
  readonly at: number
}

export interface PhaseRecord {
  readonly phase: Phase
  readonly at: number
  readonly event: PhaseEvent | 'start'
}

/** Follows the table, keeps a history and calls observers. An observer that throws does no harm. */
export class PhaseMachine {
  current: Phase
  history: readonly PhaseRecord[]
  readonly #side: Side
  #observers: Set<(change: PhaseChange) => void> | undefined
  readonly #onChange: (change: PhaseChange) => void
  readonly #onObserverError: (error: unknown) => void

  constructor(
    side: Side,
    now: number,
    onChange: (change: PhaseChange) => void,
    onObserverError: (error: unknown) => void,
  ) {
    this.#side = side
    this.#onChange = onChange
    this.#onObserverError = onObserverError
    this.current = firstPhase[side]
    this.history = [{ phase: this.current, at: now, event: 'start' }]
  }

  /** False, and nothing happens, when the table has no such transition. */
  fire(event: PhaseEvent, at: number): boolean {
    const from = this.current
    const to = next(this.#side, from, event)
    if (to === undefined) return false
    this.current = to
    // A copy has just the room it needs; an array that grows by `push` takes room for 17.
    this.history = [...this.history, { phase: to, at, event }]
    const change: PhaseChange = { from, to, event, at }
    this.#onChange(change)
    for (const observer of this.#observers ?? []) {
      try {
        observer(change)
      } catch (error) {
        this.#onObserverError(error)
      }
    }
    return true
  }

  observe(observer: (change: PhaseChange) => void): () => void {
    this.#observers ??= new Set()
    this.#observers.add(observer)
    return () => this.#observers?.delete(observer)
  }
}
