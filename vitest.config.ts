import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vitest/config'

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

export default defineConfig({
  plugins: [sdkSources],
  test: {
    include: ['packages/*/src/**/*.test.ts', 'packages/*/test/**/*.test.ts', 'test/**/*.test.ts', 'examples/*.test.js'],
    testTimeout: 30_000,
    // The runner's own default leaves one processor idle, which on a machine with two is half of it.
    maxWorkers: Math.max(2, availableParallelism() - 1),
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
