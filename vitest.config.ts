import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'packages/*/test/**/*.test.ts', 'test/**/*.test.ts', 'examples/*.test.js'],
    testTimeout: 30_000,
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
