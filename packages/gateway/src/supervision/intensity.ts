/** Whether and when an upstream is started again after it has ended: policies, restart intensity and breaker, as a pure reducer. */
import type { RestartSettings } from '../config/index.ts'
import { coolDown, restartDelay } from './backoff.ts'

/**
 * `open`: whoever wants a session may start one. `waiting`: nobody before `until`. `probing`: one at a time, until one has proved itself.
 * `given_up`: nobody before `until`, and then one trial.
 */
export type RestartPhase = 'open' | 'waiting' | 'probing' | 'given_up'

export interface RestartState {
  readonly settings: RestartSettings
  readonly phase: RestartPhase
  readonly until: number
  /** Whether the one start that `probing` allows is under way. */
  readonly busy: boolean
  /** Since the last cool-down nothing has lasted: the next end brings another one. */
  readonly onTrial: boolean
  /**
   * Counts ends, those of one blow once: a session belongs to the generation in which it was started, and the end of one from an earlier
   * generation says nothing about what was started since.
   */
  readonly generation: number
  /** Restarts in a row of which none has lasted. */
  readonly failures: number
  /** Cool-downs in a row. */
  readonly coolDowns: number
  /** When the latest restarts were made, as many as matter. */
  readonly restarts: readonly number[]
  /** Since when nothing that was started since has ended. */
  readonly calmSince: number | undefined
}

/** Times in milliseconds; `generation` is the one the state had when the session was started, by default the current one. */
export type RestartEvent =
  /** Somebody wants to start it: the decision says whether that is possible. */
  | { readonly type: 'tick'; readonly at: number }
  /** Somebody was allowed to start it and does. */
  | { readonly type: 'started'; readonly at: number }
  /** It does what it is there for. */
  | { readonly type: 'proved'; readonly at: number; readonly generation?: number }
  /** It ended, or could not be started. `silent`: it was there, and did not answer. `chance` in [0, 1) spreads restarts. */
  | {
      readonly type: 'ended'
      readonly at: number
      readonly abnormal: boolean
      readonly generation?: number
      readonly silent?: boolean
      readonly chance?: number
    }
  /** It was closed from here, which says nothing about it. */
  | { readonly type: 'withdrawn'; readonly at: number; readonly generation?: number }

export type RestartDecision =
  | { readonly type: 'start' }
  /** Without `until`: until the attempt under way has an outcome. */
  | { readonly type: 'wait'; readonly until: number | undefined }
  /** Given up; without `until` the trial is under way. */
  | { readonly type: 'refuse'; readonly until: number | undefined }
  /** It is not started again by itself, but may be by whoever needs it. */
  | { readonly type: 'rest' }

export function beginRestarts(settings: RestartSettings): RestartState {
  return {
    settings,
    phase: 'open',
    until: 0,
    busy: false,
    onTrial: false,
    generation: 0,
    failures: 0,
    coolDowns: 0,
    restarts: [],
    calmSince: undefined,
  }
}

type Step<T extends RestartEvent['type']> = (state: RestartState, event: Extract<RestartEvent, { type: T }>) => RestartState

const steps: { readonly [T in RestartEvent['type']]: Step<T> } = {
  tick(state, { at }) {
    const due = (state.phase === 'waiting' || state.phase === 'given_up') && at >= state.until
    return due ? { ...state, phase: 'probing', busy: false, onTrial: state.onTrial || state.phase === 'given_up' } : state
  },

  started(state, { at }) {
    if (state.phase !== 'probing') return { ...state, calmSince: state.calmSince ?? at }
    return { ...state, busy: true, calmSince: at, restarts: [...recent(state, at), at] }
  },

  proved(state, { generation = state.generation }) {
    return isAttempt(state, generation) ? { ...state, phase: 'open', busy: false } : state
  },

  withdrawn(state, { generation = state.generation }) {
    return isAttempt(state, generation) ? { ...state, busy: false } : state
  },

  ended(state, { at, abnormal, generation = state.generation, silent = false, chance = 0 }) {
    if (!abnormal && state.settings.policy !== 'permanent') return steps.withdrawn(state, { type: 'withdrawn', at, generation })
    if (generation !== state.generation) return state
    // Each attempt at one that does not answer takes as long as it may: whoever waits for it has waited long enough, and no such time is calm.
    const isHopeless = silent && isAttempt(state, generation)
    const calm = !isHopeless && state.calmSince !== undefined && at - state.calmSince >= state.settings.within
    const { failures, coolDowns, onTrial } = calm ? { failures: 0, coolDowns: 0, onTrial: false } : state
    const restarts = recent(state, at)
    const next = { ...state, generation: generation + 1, busy: false, calmSince: undefined, restarts }
    if (onTrial || isHopeless || restarts.length >= state.settings.maxRestarts) {
      return { ...next, phase: 'given_up', until: at + coolDown(coolDowns), coolDowns: coolDowns + 1, failures, onTrial }
    }
    return { ...next, phase: 'waiting', until: at + restartDelay(failures, chance), failures: failures + 1, coolDowns, onTrial }
  },
}

export function stepRestarts(state: RestartState, event: RestartEvent): readonly [RestartState, RestartDecision] {
  const next = (steps[event.type] as Step<RestartEvent['type']>)(state, event)
  const rests = event.type === 'ended' && !isRestarted(state.settings, event.abnormal)
  return [next, rests ? { type: 'rest' } : decisions[next.phase](next)]
}

const decisions: Readonly<Record<RestartPhase, (state: RestartState) => RestartDecision>> = {
  open: () => ({ type: 'start' }),
  waiting: ({ until }) => ({ type: 'wait', until }),
  probing: ({ busy, onTrial }) => (busy ? { type: onTrial ? 'refuse' : 'wait', until: undefined } : { type: 'start' }),
  given_up: ({ until }) => ({ type: 'refuse', until }),
}

const POLICIES: Readonly<Record<RestartSettings['policy'], (abnormal: boolean) => boolean>> = {
  permanent: () => true,
  transient: (abnormal) => abnormal,
  temporary: () => false,
}

/** Whether what ended like this is started again by itself. */
export function isRestarted({ policy }: RestartSettings, abnormal: boolean): boolean {
  return POLICIES[policy](abnormal)
}

/** Whether the one start under way is of this generation. */
function isAttempt({ phase, busy, generation }: RestartState, of: number): boolean {
  return phase === 'probing' && busy && of === generation
}

/** The restarts that count, never more than can matter. */
function recent({ restarts, settings: { within, maxRestarts } }: RestartState, at: number): readonly number[] {
  const counted = restarts.filter((time) => time > at - within)
  return counted.slice(-Math.max(maxRestarts, 1))
}
