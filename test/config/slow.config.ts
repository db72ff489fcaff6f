import { defineConfig } from 'vitest/config'
import { base } from './base.ts'

/** What takes minutes by nature: crash runs, the whole accessibility matrix, the package, the benchmarks, the judges. */
export default defineConfig({
  ...base,
  test: { ...base.test, include: ['test/**/*.slow.ts'], testTimeout: 300_000, hookTimeout: 120_000 },
})
