/** What the gateway knows of all servers together: their names and URIs, and their lists as one. */
import type { Clock } from 'parley-mcp/engine'
import type { GatewayLog } from '../log/index.ts'
import type { ListKind, Upstream } from '../upstream/index.ts'
import { BareTools } from './bare-tools.ts'
import { Directory } from './directory.ts'
import { ListReaders } from './list-readers.ts'
import { LIST_DEADLINE_MS, Lists } from './lists.ts'
import { NameIndex } from './name-index.ts'
import { StartupWait } from './startup-wait.ts'
import { TaskIds } from './task-ids.ts'

/** Hears of changes that clients need to know. */
export interface AggregateObserver {
  /** A URI may lead to another server than before. */
  urisMoved(): void
  /** Clients got a list without this server's part, which has arrived now. */
  listChanged(kind: ListKind): void
}

export class AggregateState {
  readonly clock: Clock
  readonly log: GatewayLog
  readonly nameIndex: NameIndex
  readonly startupWait: StartupWait
  readonly lists: Lists
  readonly directory: Directory
  readonly tasks = new TaskIds()
  readonly readers = new ListReaders()

  constructor(log: GatewayLog, clock: Clock, observer: AggregateObserver) {
    this.clock = clock
    this.log = log
    const nameIndex = new NameIndex(log, () => observer.urisMoved())
    const startupWait = new StartupWait(clock)
    this.nameIndex = nameIndex
    this.startupWait = startupWait
    this.lists = new Lists({ nameIndex, startupWait, log, clock, onLate: (kind) => observer.listChanged(kind) })
    const bareTools = new BareTools({ nameIndex, startupWait, clock, deadline: LIST_DEADLINE_MS })
    this.directory = new Directory(nameIndex, this.lists, this.tasks, bareTools)
  }

  setServers(servers: readonly Upstream[]): void {
    const staying = new Set(servers)
    const byName = new Map(servers.map((upstream) => [upstream.name, upstream]))
    for (const upstream of this.nameIndex.servers) {
      if (staying.has(upstream)) continue
      // If another server has taken the name, names and URIs lead to it until its own lists are read, never to a third.
      this.lists.replaced(upstream, byName.get(upstream.name))
      this.tasks.forget(upstream.name)
    }
    this.nameIndex.setServers(servers)
    this.startupWait.setServers(servers)
    this.lists.setServers(servers)
  }
}
