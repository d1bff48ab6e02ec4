/** How a session is, at one glance. */
import type { Phase } from './phase.ts'

export interface SessionHealth {
  readonly phase: Phase
  readonly alive: boolean
  readonly paused: boolean
  readonly pending: number
  readonly inFlight: number
  readonly lastReceivedAt: number
  readonly idleMs: number
}
