/** What all clients of the aggregate share. */
import type { Loss } from 'parley-mcp'
import type { Clock } from 'parley-mcp/engine'
import type { ServedUpstream } from '../bridge/index.ts'
import type { GatewayLog } from '../log/index.ts'
import { BareTools } from './bare-tools.ts'
import { Circles } from './circles.ts'
import { Directory } from './directory.ts'
import { Grace } from './grace.ts'
import { MergedIntroduction } from './introduction.ts'
import { ListReaders } from './list-readers.ts'
import { AggregateListeners } from './listeners.ts'
import { DEADLINE, Lists } from './lists.ts'
import { Offers } from './offers.ts'
import { Running } from './running.ts'
import { TaskIds } from './task-ids.ts'
import { Unfollowed } from './unfollowed.ts'

export class Whole {
  readonly clock: Clock
  readonly offers: Offers
  readonly grace: Grace
  readonly lists: Lists
  readonly directory: Directory
  readonly tasks = new TaskIds()
  readonly readers = new ListReaders()
  readonly introduction: MergedIntroduction
  readonly circles = new Circles()
  readonly running: Running
  readonly listeners: AggregateListeners
  readonly unfollowed: Unfollowed

  constructor(log: GatewayLog, clock: Clock, onLoss: (loss: Loss) => void) {
    this.clock = clock
    this.introduction = new MergedIntroduction(onLoss)
    this.offers = new Offers(log, () => this.listeners.urisMoved())
    this.grace = new Grace(clock)
    this.running = new Running(clock)
    this.lists = new Lists({
      offers: this.offers,
      grace: this.grace,
      log,
      clock,
      onLate: (kind) => this.listeners.changed(kind),
    })
    const bareTools = new BareTools({ offers: this.offers, grace: this.grace, clock, deadline: DEADLINE })
    this.directory = new Directory(this.offers, this.lists, this.tasks, bareTools)
    this.listeners = new AggregateListeners(this)
    this.unfollowed = new Unfollowed(log, this.offers)
  }

  setServers(servers: readonly ServedUpstream[]): void {
    const staying = new Set(servers)
    const byName = new Map(servers.map((served) => [served.upstream.name, served]))
    for (const served of this.offers.servers) {
      if (staying.has(served)) continue
      // Where another one has come under its name, names and URIs lead there until its own lists are read: never to a
      // third one.
      this.lists.replaced(served, byName.get(served.upstream.name))
      this.tasks.forget(served.upstream.name)
    }
    this.offers.setServers(servers)
    this.grace.setServers(servers)
    const upstreams = servers.map(({ upstream }) => upstream)
    this.introduction.setServers(upstreams)
    this.circles.setServers(upstreams)
    this.lists.setServers(servers)
    this.listeners.follow(servers)
  }
}
