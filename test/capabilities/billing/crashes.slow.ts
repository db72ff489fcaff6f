import { test } from 'vitest'
import { killAtEach, useCrashBench } from './crash-run.ts'

useCrashBench()

test.each([
  ['purchase', { product: 'slots', tier: '1' }, 40],
  ['checkout', { product: 'slots', tier: '5' }, 15],
] as const)(
  'whatever commit a process is killed at, a %s of %j is charged once, provisioned once, and the books agree',
  (way, body, upTo) => killAtEach(way, body, upTo),
)
