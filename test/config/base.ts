import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ViteUserConfig } from 'vitest/config'

/** What all runs of tests have in common. */
export const base = {
  root: resolve(import.meta.dirname, '../..'),
  test: {
    globalSetup: ['test/config/build-once.ts'],
    reporters: ['default', './test/config/closing-line.ts'],
    pool: 'forks',
    // Much of the time of a test is waiting: for a process to start, a page to load, a deadline to pass.
    maxWorkers: 3,
    execArgv: ['--import', pathToFileURL(resolve(import.meta.dirname, '../support/end-with-parent.ts')).href],
    testTimeout: 20_000,
    hookTimeout: 30_000,
    // A window on a busy machine takes its time; one that never gets there still fails.
    expect: { poll: { timeout: 5_000 } },
    restoreMocks: true,
    unstubEnvs: true,
  },
} as const satisfies ViteUserConfig
