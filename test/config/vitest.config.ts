import { defineConfig } from 'vitest/config'
import { base, PACKAGES, testFilesWith } from './base.ts'
import { temporaryFolder } from './temporary-folder.ts'

const ALL = ['test/**/*.test.ts']
/**
 * Files that need their own process: those that declare SQL, because every database opened later in the same process
 * would prepare it, and those marked `@isolated`.
 */
const ALONE = ['test/storage/**/*.test.ts', ...testFilesWith(/CREATE TABLE|[^a-z.]sql(<.*>)?\(|@isolated/)]

export default defineConfig({
  ...base,
  test: {
    ...base.test,
    globalSetup: [...base.test.globalSetup, 'test/config/temporary-folder.ts'],
    ...(temporaryFolder !== undefined && { env: { TMPDIR: temporaryFolder } }),
    coverage: { provider: 'v8', include: ['main/**/*.ts'], reporter: ['text-summary', 'html'] },
    projects: [
      // Files that share a worker also share its loaded modules. Loading them takes about one second for each file
      // otherwise.
      { extends: true, test: { name: 'shared', include: ALL, exclude: [...ALONE, PACKAGES], isolate: false } },
      { extends: true, test: { name: 'alone', include: ALONE, exclude: [PACKAGES] } },
    ],
  },
})
