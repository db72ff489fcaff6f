import { test } from 'vitest'
import { SEED, surviveKills } from './crash.ts'

test(`C-01 C-02 K-02 a service killed three times loses and repeats no message (SEED=${SEED})`, () =>
  surviveKills({ keys: 120, killsWhileSending: 2, killsWhileDelivering: 1 }))
