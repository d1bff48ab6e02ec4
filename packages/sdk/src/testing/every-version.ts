/** Runs a function or a test in every protocol version. */
import { type ProtocolVersion, versions } from '../versions/index.ts'

/** Oldest first. */
export const testVersions: readonly ProtocolVersion[] = versions

type VersionRun = (version: ProtocolVersion) => void | Promise<void>

/** Registers a test: `test` or `it` of vitest, jest, node:test and others. */
type Register = (title: string, run: () => void | Promise<void>) => unknown

export interface VersionedTest {
  name: string
  run: VersionRun
  /** Default: the global `test` or `it`. */
  test?: Register
  /** Default: all of `testVersions`. */
  versions?: readonly ProtocolVersion[]
}

/**
 * Calls a function once per version, in sequence. An error names the version. A named test is registered once per
 * version.
 */
export function everyVersion(run: VersionRun): void | Promise<void>
export function everyVersion(test: VersionedTest): void
export function everyVersion(given: VersionRun | VersionedTest): void | Promise<void> {
  if (typeof given === 'function') return runFrom(0, given)
  const register = given.test ?? globalRegister()
  for (const version of given.versions ?? testVersions) register(`${given.name} (${version})`, () => given.run(version))
}

/** Synchronous for synchronous functions, so that it can also declare suites. */
function runFrom(start: number, run: VersionRun): void | Promise<void> {
  for (let at = start; at < testVersions.length; at++) {
    const version = testVersions[at] as ProtocolVersion
    let outcome: void | Promise<void>
    try {
      outcome = run(version)
    } catch (error) {
      throw inVersion(version, error)
    }
    if (outcome instanceof Promise) {
      return outcome.then(
        () => runFrom(at + 1, run),
        (error) => Promise.reject(inVersion(version, error)),
      )
    }
  }
}

/** Adds the version to the message of the same error, so that the runner still shows its diff. */
function inVersion(version: ProtocolVersion, error: unknown): unknown {
  if (error instanceof Error) error.message = `[${version}] ${error.message}`
  return error
}

function globalRegister(): Register {
  const { test, it } = globalThis as { test?: Register; it?: Register }
  const register = test ?? it
  if (register === undefined)
    throw new Error('everyVersion found no global "test" or "it"; pass yours: everyVersion({ name, test, run })')
  return register
}
