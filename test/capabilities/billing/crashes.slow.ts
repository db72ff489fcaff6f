import { test } from 'vitest'
import { killAtEach, useCrashBench } from './crash-run.ts'

useCrashBench()

test.each([
  ['purchase', { product: 'slots', tier: '1' }, 40],
  ['checkout', { product: 'slots', tier: '5' }, 15],
] as const)(
  'a process killed at any commit charges and provisions a %s of %j once, and the ledgers agree',
  (way, body, upTo) => killAtEach(way, body, upTo),
)
