import { defineConfig } from 'vitest/config'
import usual from './vitest.config.ts'

/** What takes minutes by nature: crash runs, the whole accessibility matrix, the package, the benchmarks, the judges. */
export default defineConfig({
  ...usual,
  test: { ...usual.test, include: ['test/**/*.slow.ts'], isolate: true, testTimeout: 300_000, hookTimeout: 120_000 },
})
