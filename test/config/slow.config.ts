import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { base } from './base.ts'

/** Files with a short and a long form (test/support/sized.ts). */
const sizedFiles = globSync('test/**/*.test.ts', { cwd: base.root }).filter((file) =>
  readFileSync(resolve(base.root, file), 'utf8').includes("/support/sized.ts'"),
)

/** What takes minutes by nature: crash runs, the whole accessibility matrix, the package, the benchmarks, the judges. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['test/**/*.slow.ts', ...sizedFiles],
    env: { TEST_SIZE: 'long' },
    testTimeout: 300_000,
    hookTimeout: 120_000,
  },
})
