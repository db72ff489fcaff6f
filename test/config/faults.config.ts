import { defineConfig } from 'vitest/config'
import { FAULT_ID, faultFiles } from '../faults/files.ts'
import { base } from './base.ts'

/** All fault tests, including those that run only here because they take long or need root. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: [...faultFiles().keys()],
    env: { TEST_SIZE: 'long' },
    testTimeout: 300_000,
    testNamePattern: new RegExp(FAULT_ID.source),
  },
})
