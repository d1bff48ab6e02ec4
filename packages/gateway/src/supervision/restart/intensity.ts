/**
 * Decides whether and when a server is restarted: policies, restart intensity and circuit breaker, as a pure reducer.
 */
import { Backoff } from 'parley-mcp/engine'
import type { RestartSettings } from '../../config/index.ts'

/**
 * - `open`: every start is allowed.
 * - `waiting`: no start before `until`.
 * - `probing`: one start at a time, until one run has answered.
 * - `given_up`: no start before `until`, then one trial.
 */
export type RestartPhase = 'open' | 'waiting' | 'probing' | 'given_up'

export interface RestartState {
  readonly settings: RestartSettings
  readonly phase: RestartPhase
  readonly until: number
  /** Whether the one start that `probing` allows is in progress. */
  readonly busy: boolean
  /** No run has lasted since the last cool-down. The next end starts another cool-down. */
  readonly onTrial: boolean
  /**
   * Counts ends; simultaneous ends count once. A run belongs to the generation in which it started. The end of a run of
   * an earlier generation does not count.
   */
  readonly generation: number
  /** Consecutive restarts that did not last. */
  readonly failures: number
  /** Consecutive cool-downs. */
  readonly coolDowns: number
  /** Times of the latest restarts, as many as the limit needs. */
  readonly restarts: readonly number[]
  /** Start of the current period without an end. */
  readonly calmSince: number | undefined
}

/** Times are in milliseconds. `generation` is the state's generation when the run started. Default: the current one. */
export type RestartEvent =
  /** A client needs a start. The decision tells whether it is allowed. */
  | { readonly type: 'tick'; readonly at: number }
  /** An allowed start begins. */
  | { readonly type: 'started'; readonly at: number }
  /** The server answered a request. */
  | { readonly type: 'proved'; readonly at: number; readonly generation?: number }
  /**
   * The run ended or could not start. `silent`: it was reachable but did not answer. `chance` in [0, 1) adds jitter.
   */
  | {
      readonly type: 'ended'
      readonly at: number
      readonly abnormal: boolean
      readonly generation?: number
      readonly silent?: boolean
      readonly chance?: number
    }
  /** The gateway closed the run. This does not count as a failure. */
  | { readonly type: 'withdrawn'; readonly at: number; readonly generation?: number }

export type RestartDecision =
  | { readonly type: 'start' }
  /** Without `until`: wait for the outcome of the current attempt. */
  | { readonly type: 'wait'; readonly until: number | undefined }
  /** Given up. Without `until`: the trial is in progress. */
  | { readonly type: 'refuse'; readonly until: number | undefined }
  /** No automatic restart. A client that needs the server may start it. */
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

type RestartStep<T extends RestartEvent['type']> = (
  state: RestartState,
  event: Extract<RestartEvent, { type: T }>,
) => RestartState

const steps: { readonly [T in RestartEvent['type']]: RestartStep<T> } = {
  tick(state, { at }) {
    const due = (state.phase === 'waiting' || state.phase === 'given_up') && at >= state.until
    return due
      ? { ...state, phase: 'probing', busy: false, onTrial: state.onTrial || state.phase === 'given_up' }
      : state
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
    if (!abnormal && state.settings.policy !== 'permanent')
      return steps.withdrawn(state, { type: 'withdrawn', at, generation })
    if (generation !== state.generation) return state
    // An attempt at a server that does not answer takes the whole timeout. Waiting clients must not wait for another
    // one, and this time does not count as calm.
    const isHopeless = silent && isAttempt(state, generation)
    const calm = !isHopeless && state.calmSince !== undefined && at - state.calmSince >= state.settings.within
    const { failures, coolDowns, onTrial } = calm ? { failures: 0, coolDowns: 0, onTrial: false } : state
    const restarts = recent(state, at)
    const next = { ...state, generation: generation + 1, busy: false, calmSince: undefined, restarts }
    if (onTrial || isHopeless || restarts.length >= state.settings.maxRestarts) {
      return {
        ...next,
        phase: 'given_up',
        until: at + coolDown(coolDowns),
        coolDowns: coolDowns + 1,
        failures,
        onTrial,
      }
    }
    return {
      ...next,
      phase: 'waiting',
      until: at + restartDelay(failures, chance),
      failures: failures + 1,
      coolDowns,
      onTrial,
    }
  },
}

export function stepRestarts(state: RestartState, event: RestartEvent): readonly [RestartState, RestartDecision] {
  const next = (steps[event.type] as RestartStep<RestartEvent['type']>)(state, event)
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

/** Whether the policy restarts a server after such an end. */
export function isRestarted({ policy }: RestartSettings, abnormal: boolean): boolean {
  return POLICIES[policy](abnormal)
}

/** Whether the start in progress belongs to this generation. */
function isAttempt({ phase, busy, generation }: RestartState, of: number): boolean {
  return phase === 'probing' && busy && of === generation
}

/** The restarts that count towards the limit. */
function recent({ restarts, settings: { within, maxRestarts } }: RestartState, at: number): readonly number[] {
  const counted = restarts.filter((time) => time > at - within)
  return counted.slice(-Math.max(maxRestarts, 1))
}

/** Before each restart in a row, in milliseconds. The first restart is immediate. */
export const RESTART_DELAYS: readonly number[] = [0, ...Backoff.growing(1000, 30_000).delays]

export const FIRST_COOL_DOWN = 30_000
export const LONGEST_COOL_DOWN = 600_000

const restarts = new Backoff(RESTART_DELAYS, 0.2)
const coolDowns = Backoff.growing(FIRST_COOL_DOWN, LONGEST_COOL_DOWN)

/** Milliseconds before the restart with this number, counted from 0. `chance` in [0, 1) adds up to a fifth. */
export function restartDelay(restart: number, chance: number): number {
  return restarts.delayBefore(restart, chance)
}

/** Milliseconds of the cool-down with this number, counted from 0. */
export function coolDown(number: number): number {
  return coolDowns.delayBefore(number)
}
