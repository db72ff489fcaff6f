import { test } from 'vitest'
import { killAtEach, useCrashBench } from './crash-run.ts'

useCrashBench()

test('a process killed at any commit charges and provisions a purchase once, and the ledgers agree', () =>
  killAtEach('purchase', { product: 'setup' }))
