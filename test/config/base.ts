import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ViteUserConfig } from 'vitest/config'
import { operationTable } from '../../main/capabilities/contracts.ts'

const root = resolve(import.meta.dirname, '../..')
/** The packages in test/judges install their own dependencies below test/, and those contain tests of their own. */
export const PACKAGES = '**/node_modules/**'

/** Test files whose text matches the pattern, so that new and renamed files are not forgotten. */
export function testFilesWith(text: RegExp): string[] {
  const files = globSync('test/**/*.test.ts', { cwd: root, exclude: [PACKAGES] })
  return files.filter((file) => text.test(readFileSync(resolve(root, file), 'utf8')))
}

/** The settings that all test runs share. */
export const base = {
  root,
  // The same as in electron.vite.config.ts.
  define: { __OPERATIONS__: JSON.stringify(operationTable()) },
  test: {
    globalSetup: ['test/config/build-once.ts'],
    reporters: ['default', './test/config/closing-line.ts'],
    pool: 'forks',
    // Tests spend much of their time waiting for processes, pages and deadlines, so more workers than processors are
    // useful.
    maxWorkers: 3,
    execArgv: ['--import', pathToFileURL(resolve(import.meta.dirname, '../support/end-with-parent.mjs')).href],
    // Long, because a busy machine is slow. A test that hangs still fails.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // A window on a busy machine is slow. An expectation that is never met still fails.
    expect: { poll: { timeout: 60_000 } },
    restoreMocks: true,
    unstubEnvs: true,
  },
} as const satisfies ViteUserConfig
