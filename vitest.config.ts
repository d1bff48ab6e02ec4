import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { sixthVersion } from './test/sixth-version/registration.ts'

const sdk = fileURLToPath(new URL('./packages/sdk/src/', import.meta.url))

/** The gateway is tested on the sources of the SDK, not on what was built last. */
const sdkSources: Plugin = {
  name: 'sdk-sources',
  enforce: 'pre',
  resolveId(source, importer) {
    if (!importer?.includes('/packages/gateway/')) return undefined
    const [, entry = 'index'] = /^parley-mcp(?:\/(\w+))?$/.exec(source) ?? []
    return source.startsWith('parley-mcp') ? `${sdk}${entry}.ts` : undefined
  },
}

/**
 * Whole programs, a module that is replaced, the signals of the own process: such a file has its process for itself.
 */
const ALONE = [
  'test/*.test.ts',
  'packages/!(sdk)/test/**/*.test.ts',
  'packages/*/src/**/shutdown.test.ts',
  'examples/*.test.js',
]
/**
 * All others share a process and what it has loaded: they leave nothing behind that the next one could stumble over.
 */
const TOGETHER = ['packages/*/src/**/!(shutdown).test.ts', 'packages/sdk/test/**/*.test.ts']

/**
 * These tests run with a version that does not exist. The dialect belongs to one version and is left out.
 */
const SIXTH_VERSION = ['test/sixth-version/*.test.ts', 'packages/sdk/test/laws/!(dialect).test.ts']

/**
 * What takes long begins early, or one processor would be alone with it at the end; beside what computes there is what
 * waits.
 */
const FIRST = [
  'test/conformance.test.ts',
  'gateway/test/kill.test.ts',
  'gateway/test/faults/isolation.test.ts',
  'gateway/test/faults/remote.test.ts',
  'test/interop.test.ts',
  'test/installed.test.ts',
  'test/installed-command.test.ts',
  'gateway/test/',
  'sdk/test/wire/every-transport.test.ts',
  'gateway/src/supervision/launch/watcher.test.ts',
  'sdk/test/wire/stdio-child.test.ts',
  'sdk/test/laws/validity.test.ts',
  'sdk/test/wire/http-client-own.test.ts',
  'sdk/test/laws/robustness.test.ts',
  'gateway/src/gateway/gateway.test.ts',
  'sdk/test/',
]

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.sort((one, other) => rankOf(one) - rankOf(other))
  }
}

/** A process is shared only by files that follow each other, so those that share none come first. */
function rankOf({ moduleId, project }: TestSpecification): number {
  const place = FIRST.findIndex((path) => moduleId.includes(`/${path}`))
  return (project.config.isolate ? 0 : FIRST.length + 1) + (place === -1 ? FIRST.length : place)
}

export default defineConfig({
  plugins: [sdkSources],
  test: {
    // Only for what hangs: several checks share a machine that may be busy besides. Before a test processes are
    // started, too.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    sequence: { sequencer: LongFirst },
    // The runner's own default leaves one processor idle, which on a machine with two is half of it.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      { extends: true, test: { name: 'alone', include: ALONE } },
      { extends: true, test: { name: 'together', include: TOGETHER, isolate: false } },
      {
        extends: true,
        plugins: [sixthVersion],
        test: { name: 'sixth version', include: SIXTH_VERSION, isolate: false, env: { PARLEY_LAW_RUNS: '100' } },
      },
    ],
    coverage: {
      provider: 'v8',
      include: ['packages/*/src/**/*.ts'],
      exclude: ['**/*.test.ts', '**/*.fixtures.ts'],
      reporter: ['text-summary', 'json-summary'],
      thresholds: {
        'packages/sdk/src/**': { lines: 90 },
        'packages/sdk/src/versions/**': { lines: 95 },
        'packages/gateway/src/**': { lines: 85 },
      },
    },
  },
})
