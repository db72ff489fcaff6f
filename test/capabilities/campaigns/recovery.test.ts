import { expect, test } from 'vitest'
import { createRecovery } from '../../../main/capabilities/campaigns/recovery.ts'
import { sendingPage, type Recipient } from '../../../main/capabilities/campaigns/recipient-store.ts'
import { fakeClock } from '../../support/clock.ts'

const SECOND = 1_000
/** Its send seems to have no run, as that of every recipient who was claimed just now. */
const CLAIMED = { campaignId: 'cmp_1', position: 1, messageId: null, claimedAtMs: 5 } as Recipient

function recovering() {
  const clock = fakeClock()
  const found = { looks: 0, resolved: 0, isClockSet: false }
  type Deps = Parameters<typeof createRecovery>[0]
  const recovery = createRecovery({
    clock,
    sends: new Set<string>(),
    db: {
      read: async (statement: unknown) => (statement === sendingPage ? [CLAIMED] : []),
      commit: async () => {},
    },
    lateness: {
      isDue: () => found.isClockSet,
      async look() {
        found.looks++
        found.isClockSet = false
      },
    },
    budgetHolds: { async look() {} },
    async resolve() {
      found.resolved++
    },
  } as unknown as Deps)
  recovery.start()
  return { clock, found, recovery }
}

test('a send that two checks in a row, half a minute apart, find without a run is ended', async () => {
  const { clock, found, recovery } = recovering()
  await clock.advance(59 * SECOND)
  expect(found.resolved).toBe(0)
  await clock.advance(2 * SECOND)
  expect(found.resolved).toBe(1)
  await recovery.stop()
})

test('after the clock was set, late campaigns are looked at within a second, and sends are left alone', async () => {
  const { clock, found, recovery } = recovering()
  await clock.advance(31 * SECOND)
  const looksBefore = found.looks
  for (let change = 1; change <= 5; change++) {
    found.isClockSet = true
    await clock.advance(SECOND)
    expect(found.looks).toBe(looksBefore + change)
  }
  expect(found.resolved).toBe(0)
  await recovery.stop()
})
