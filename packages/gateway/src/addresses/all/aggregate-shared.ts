/** What all clients at the address of all servers share. */
import type { Loss } from 'parley-mcp'
import type { Clock } from 'parley-mcp/engine'
import { AggregateState } from '../../aggregate/index.ts'
import type { Pipeline } from '../../calls/index.ts'
import { AggregateListeners } from '../../following/index.ts'
import type { GatewayLog } from '../../log/index.ts'
import type { Upstream } from '../../upstream/index.ts'
import type { ServerAddress } from '../server/server-address.ts'
import { LoopGuard } from './loop-guard.ts'
import { MergedIntroduction } from './merged-introduction.ts'
import { RunningCalls } from './running-calls.ts'

export interface AggregateSharedOptions {
  readonly log: GatewayLog
  readonly clock: Clock
  readonly pipeline: Pipeline
  /** Told what servers declare and clients here do not hear. */
  readonly onLoss: (loss: Loss) => void
}

export class AggregateShared {
  readonly state: AggregateState
  readonly pipeline: Pipeline
  readonly introduction: MergedIntroduction
  readonly loopGuard = new LoopGuard()
  readonly running: RunningCalls
  readonly listeners: AggregateListeners
  #addresses: ReadonlyMap<Upstream, ServerAddress> = new Map()

  constructor({ log, clock, pipeline, onLoss }: AggregateSharedOptions) {
    this.pipeline = pipeline
    this.introduction = new MergedIntroduction(onLoss)
    this.running = new RunningCalls(clock)
    this.state = new AggregateState(log, clock, {
      urisMoved: () => this.listeners.urisMoved(),
      listChanged: (kind) => this.listeners.changed(kind),
    })
    this.listeners = new AggregateListeners(this.state, (upstream) => this.addressOf(upstream))
  }

  /** The address of one server alone; its server is among those of the gateway. */
  addressOf(upstream: Upstream): ServerAddress {
    return this.#addresses.get(upstream) as ServerAddress
  }

  setServers(addresses: readonly ServerAddress[]): void {
    const servers = addresses.map(({ upstream }) => upstream)
    this.#addresses = new Map(addresses.map((address) => [address.upstream, address]))
    this.state.setServers(servers)
    this.introduction.setServers(servers)
    this.loopGuard.setServers(servers)
    this.listeners.follow(servers)
  }
}
