import { test } from 'vitest'
import { killAtEach, useCrashBench } from './crash-run.ts'

useCrashBench()

test(
  'whatever commit a process is killed at, a checkout is charged once, provisioned once, and the books agree',
  () => killAtEach('checkout', { product: 'slots', tier: '5' }),
  120_000,
)
