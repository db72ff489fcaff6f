import { defineConfig } from 'vitest/config'
import { FAULT_ID, faultFiles } from '../faults/files.ts'
import { base } from './base.ts'

/** The faults: all tests that are named for one, and those that only run here because they take long or need root. */
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
