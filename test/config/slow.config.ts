import { defineConfig } from 'vitest/config'
import { base, PACKAGES, testFilesWith } from './base.ts'

/** Files with a short and a long form (test/support/sized.ts). */
const sizedFiles = testFilesWith(/\/support\/sized\.ts'/)

/** What takes minutes by nature: crash runs, the whole accessibility matrix, the package, the benchmarks, the judges. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['test/**/*.slow.ts', ...sizedFiles],
    exclude: [PACKAGES],
    env: { TEST_SIZE: 'long' },
    testTimeout: 300_000,
    hookTimeout: 120_000,
  },
})
