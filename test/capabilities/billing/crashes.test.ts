import { test } from 'vitest'
import { killAtEach, useCrashBench } from './crash-run.ts'

useCrashBench()

test.each([{ product: 'setup' }, { product: 'slots', tier: '1' }])(
  'whatever commit a process is killed at, a purchase of %j is charged once, provisioned once, and the books agree',
  (body) => killAtEach('purchase', body),
)
