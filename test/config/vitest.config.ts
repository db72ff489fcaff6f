import { defineConfig } from 'vitest/config'
import { base } from './base.ts'
import { temporaryFolder } from './temporary-folder.ts'

const ALL = ['test/**/*.test.ts']
/** Files that declare SQL for tables of their own, which every database opened after them would prepare. */
const OWN_TABLES = ['test/storage/**/*.test.ts', 'test/kernel/{ledger,narrowed-page,sql,sql-list}.test.ts']

export default defineConfig({
  ...base,
  test: {
    ...base.test,
    globalSetup: [...base.test.globalSetup, 'test/config/temporary-folder.ts'],
    ...(temporaryFolder !== undefined && { env: { TMPDIR: temporaryFolder } }),
    coverage: { provider: 'v8', include: ['main/**/*.ts'], reporter: ['text-summary', 'html'] },
    projects: [
      // Files that share a worker share its modules; loading them takes a second for each file otherwise.
      { extends: true, test: { name: 'shared', include: ALL, exclude: OWN_TABLES, isolate: false } },
      { extends: true, test: { name: 'alone', include: OWN_TABLES } },
    ],
  },
})
