/** Watches a configuration file and reports every change of its meaning. */
import { type FSWatcher, watch } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type Clock, systemClock } from 'parley-mcp/engine'
import { isSameConfig } from './diff.ts'
import type { ParsedConfig } from './parse.ts'
import { ConfigError } from './problem.ts'
import { type ReadOptions, readConfig } from './read.ts'

export interface WatchOptions extends ReadOptions {
  readonly clock?: Clock
  /** How long the file must stay unchanged before it is read, in milliseconds. Default 200. */
  readonly debounce?: number
  /**
   * How often it is looked at where the system tells of no changes, as on network drives, in milliseconds. Default
   * 2000.
   */
  readonly interval?: number
  /** The configuration in use. Default: the content of the file when the watch begins. */
  readonly current?: ParsedConfig
}

export interface ConfigWatch {
  close(): void
}

/** The watch continues after every error, even if the file is gone. */
export function watchConfig(
  path: string,
  onChange: (outcome: ParsedConfig | ConfigError) => void,
  options: WatchOptions = {},
): ConfigWatch {
  const watched = new Watch(path, onChange, options)
  watched.start()
  return { close: () => watched.close() }
}

class Watch {
  readonly #path: string
  readonly #onChange: (outcome: ParsedConfig | ConfigError) => void
  readonly #options: WatchOptions
  readonly #clock: Clock
  #watcher: FSWatcher | undefined
  #last: ParsedConfig | ConfigError | undefined
  #stamp: string | undefined
  #reading: Promise<void> = Promise.resolve()
  #cancelRead: (() => void) | undefined
  #cancelCheck: (() => void) | undefined
  #isClosed = false

  constructor(path: string, onChange: (outcome: ParsedConfig | ConfigError) => void, options: WatchOptions) {
    this.#path = path
    this.#onChange = onChange
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#last = options.current
  }

  start(): void {
    this.#listen()
    // With a configuration to compare, the first read waits as well: the file may be half written.
    if (this.#last === undefined) this.#enqueue()
    else this.#readLater()
    this.#checkLater()
  }

  close(): void {
    this.#isClosed = true
    this.#watcher?.close()
    this.#cancelRead?.()
    this.#cancelCheck?.()
  }

  /** Watches the folder, not the file: editors replace the file, and a watch would stay on the old one. */
  #listen(): void {
    const name = basename(this.#path)
    try {
      this.#watcher = watch(dirname(resolve(this.#path)), { persistent: false }, (_, changed) => {
        if (changed === null || changed === name) this.#readLater()
      })
      this.#watcher.on('error', () => this.#watcher?.close())
    } catch {
      // The folder is missing, or the system has no watches left. The regular check of the file is enough then.
    }
  }

  /** Finds changes that the folder does not report: links to other folders, network drives, a replaced folder. */
  #checkLater(): void {
    if (this.#isClosed) return
    this.#cancelCheck = this.#clock.after(this.#options.interval ?? 2000, () => {
      void this.#checkFile().then(() => this.#checkLater())
    })
  }

  async #checkFile(): Promise<void> {
    if ((await fileStamp(this.#path)) !== this.#stamp) this.#readLater()
  }

  #readLater(): void {
    if (this.#isClosed) return
    this.#cancelRead?.()
    this.#cancelRead = this.#clock.after(this.#options.debounce ?? 200, () => this.#enqueue())
  }

  /** Reads one at a time, so that the last reported outcome belongs to the last content. */
  #enqueue(): void {
    this.#reading = this.#reading.then(() => this.#read())
  }

  async #read(): Promise<void> {
    this.#stamp = await fileStamp(this.#path)
    const outcome = await this.#outcome()
    const before = this.#last
    if (this.#isClosed || isSame(before, outcome)) return
    this.#last = outcome
    if (before !== undefined || outcome instanceof ConfigError) this.#onChange(outcome)
  }

  async #outcome(): Promise<ParsedConfig | ConfigError> {
    const { format, env, override } = this.#options
    const given = {
      ...(format === undefined ? {} : { format }),
      ...(env === undefined ? {} : { env }),
      ...(override === undefined ? {} : { override }),
    }
    try {
      return await readConfig(this.#path, given)
    } catch (error) {
      if (error instanceof ConfigError) return error
      throw error
    }
  }
}

function isSame(left: ParsedConfig | ConfigError | undefined, right: ParsedConfig | ConfigError): boolean {
  if (left instanceof ConfigError || right instanceof ConfigError)
    return left instanceof ConfigError && right instanceof ConfigError && left.message === right.message
  return left !== undefined && isSameConfig(left.config, right.config) && isDeepStrictEqual(left, right)
}

/** A text that changes when the file changes. */
async function fileStamp(path: string): Promise<string> {
  try {
    const { ino, size, mtimeMs, ctimeMs } = await stat(path)
    return [ino, size, mtimeMs, ctimeMs].join(' ')
  } catch {
    return 'none'
  }
}
