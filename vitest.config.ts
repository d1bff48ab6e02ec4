import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'packages/*/test/**/*.test.ts', 'test/**/*.test.ts', 'examples/*.test.js'],
    testTimeout: 30_000,
    // The runner's own default leaves one processor idle, which on a machine with two is half of it.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    coverage: {
      provider: 'v8',
      include: ['packages/sdk/src/**/*.ts'],
      exclude: ['**/*.test.ts', '**/*.fixtures.ts'],
      reporter: ['text-summary', 'json-summary'],
      thresholds: {
        'packages/sdk/src/**': { lines: 90 },
        'packages/sdk/src/versions/**': { lines: 95 },
      },
    },
  },
})
