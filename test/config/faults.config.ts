import { defineConfig } from 'vitest/config'
import { FAULT_ID, faultFiles } from '../faults/files.ts'
import usual from './vitest.config.ts'

/** The faults: all tests that are named for one, and those that only run here because they take long or need root. */
export default defineConfig({
  ...usual,
  test: {
    ...usual.test,
    include: [...faultFiles().keys()],
    isolate: true,
    testTimeout: 300_000,
    testNamePattern: new RegExp(FAULT_ID.source),
  },
})
