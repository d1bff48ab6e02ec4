/** An example of a driver: tasks in one JSON file, for one process. Each change replaces the file as a whole. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { MemoryTaskStore, type TaskRecord, type TaskStore } from '../../src/server.ts'

export class FileTaskStore implements TaskStore {
  readonly #path: string
  readonly #records = new MemoryTaskStore()
  readonly #ids = new Set<string>()

  constructor(path: string) {
    this.#path = path
    for (const record of readRecords(path)) this.#add(record, Number.POSITIVE_INFINITY)
  }

  create(...[record, limit]: Parameters<TaskStore['create']>): boolean {
    return this.#add(record, limit) && this.#save()
  }

  get(taskId: string): TaskRecord | undefined {
    return this.#records.get(taskId)
  }

  update(...change: Parameters<TaskStore['update']>): TaskRecord | undefined {
    const record = this.#records.update(...change)
    if (record !== undefined) this.#save()
    return record
  }

  list(...page: Parameters<TaskStore['list']>): readonly TaskRecord[] {
    return this.#records.list(...page)
  }

  delete(taskId: string): boolean {
    return this.#records.delete(taskId) && this.#save()
  }

  expire(now: number): readonly string[] {
    const expired = this.#records.expire(now)
    if (expired.length > 0) this.#save()
    return expired
  }

  #add(record: TaskRecord, limit: number): boolean {
    const isAdded = this.#records.create(record, limit)
    if (isAdded) this.#ids.add(record.taskId)
    return isAdded
  }

  /** A reader never sees half a file, because a rename is atomic. */
  #save(): true {
    for (const taskId of this.#ids) if (this.#records.get(taskId) === undefined) this.#ids.delete(taskId)
    const records = [...this.#ids].map((taskId) => this.#records.get(taskId))
    writeFileSync(`${this.#path}.new`, JSON.stringify(records))
    renameSync(`${this.#path}.new`, this.#path)
    return true
  }
}

function readRecords(path: string): TaskRecord[] {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
