import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ViteUserConfig } from 'vitest/config'
import { operationTable } from '../../main/capabilities/contracts.ts'

const root = resolve(import.meta.dirname, '../..')
/** The judges install packages of their own under test/, with their own tests. */
export const PACKAGES = '**/node_modules/**'

/** Test files whose text matches, so that a new or renamed file is not forgotten. */
export function testFilesWith(text: RegExp): string[] {
  const files = globSync('test/**/*.test.ts', { cwd: root, exclude: [PACKAGES] })
  return files.filter((file) => text.test(readFileSync(resolve(root, file), 'utf8')))
}

/** What all runs of tests have in common. */
export const base = {
  root,
  // As in electron.vite.config.ts.
  define: { __OPERATIONS__: JSON.stringify(operationTable()) },
  test: {
    globalSetup: ['test/config/build-once.ts'],
    reporters: ['default', './test/config/closing-line.ts'],
    pool: 'forks',
    // Much of the time of a test is waiting: for a process to start, a page to load, a deadline to pass.
    maxWorkers: 3,
    execArgv: ['--import', pathToFileURL(resolve(import.meta.dirname, '../support/end-with-parent.mjs')).href],
    // Long, because a busy machine is slow: a test that hangs fails all the same.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // A window on a busy machine takes its time; one that never gets there still fails.
    expect: { poll: { timeout: 60_000 } },
    restoreMocks: true,
    unstubEnvs: true,
  },
} as const satisfies ViteUserConfig
