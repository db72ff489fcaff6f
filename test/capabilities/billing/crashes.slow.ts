import { test } from 'vitest'
import { killAtEach, useCrashBench } from './crash-run.ts'

useCrashBench()

test.each([
  ['purchase', { product: 'slots', tier: '1' }],
  ['checkout', { product: 'slots', tier: '5' }],
] as const)(
  'whatever commit a process is killed at, a %s of %j is charged once, provisioned once, and the books agree',
  (way, body) => killAtEach(way, body),
  120_000,
)
