import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  root: resolve(import.meta.dirname, '../..'),
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/config/build-once.ts'],
    reporters: ['default', './test/config/closing-line.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // Files of one worker share their modules: each would take a second to load them otherwise.
    isolate: false,
    testTimeout: 20_000,
    hookTimeout: 30_000,
    // A window on a busy machine takes its time; one that never gets there still fails.
    expect: { poll: { timeout: 5_000 } },
    restoreMocks: true,
    unstubEnvs: true,
    coverage: { provider: 'v8', include: ['main/**/*.ts'], reporter: ['text-summary', 'html'] },
  },
})
