import { test } from 'vitest'
import { SEED, surviveKills } from './crash.ts'

test(`C-01 C-02 K-02 a service killed ten times while it sends 1,000 messages loses and repeats none (SEED=${SEED})`, () =>
  surviveKills({ keys: 1_000, killsWhileSending: 8, killsWhileDelivering: 2 }))
