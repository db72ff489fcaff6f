import { test } from 'vitest'
import { killAtEach, useCrashBench } from './crash-run.ts'

useCrashBench()

test('whatever commit a process is killed at, a purchase is charged once, provisioned once, and the books agree', () =>
  killAtEach('purchase', { product: 'setup' }))
