import { expect, onTestFinished, test } from 'vitest'
import { createPermissions } from '../../../main/engines/sandbox/graph/permissions.ts'
import type { GraphNumber } from '../../../main/engines/sandbox/graph/store.ts'
import { addToMeta, CLOCK_MOVED } from '../../../main/kernel/meta.ts'
import { moveDueTimes } from '../../../main/storage/due-times.ts'
import { fakeClock } from '../../support/clock.ts'
import { testDatabase } from '../../support/database.ts'

const DAY_MS = 86_400_000
const NUMBER = { phoneNumberId: '1' } as GraphNumber
const ANA = '12025550101'

async function permissionsOf() {
  const clock = fakeClock()
  const { db, close } = await testDatabase(undefined, { clock })
  onTestFinished(close)
  const permissions = createPermissions({ db, clock })
  const isRefused = () =>
    permissions.request(NUMBER, ANA).then(
      () => false,
      () => true,
    )
  /** As the service does when the clock is set. */
  async function setClock(byMs: number): Promise<void> {
    const fromMs = clock.now()
    await db.commit(async (tx) => {
      await addToMeta(tx, CLOCK_MOVED, byMs)
      await moveDueTimes(tx, { byMs, fromMs })
    })
    clock.set(fromMs + byMs)
  }
  return { permissions, clock, isRefused, setClock }
}

test.each([
  ['a year forward', 365 * DAY_MS],
  ['a month back', -30 * DAY_MS],
])(
  'when the clock is set %s, a person is asked as often as before, and a permission lasts as long',
  async (_, byMs) => {
    const { permissions, clock, isRefused, setClock } = await permissionsOf()
    expect([await isRefused(), await isRefused()]).toEqual([false, true])
    await permissions.grant(NUMBER, ANA, false)
    await setClock(byMs)
    expect([await isRefused(), await permissions.isGranted(NUMBER, ANA)]).toEqual([true, true])
    clock.suspend(DAY_MS)
    expect([await isRefused(), await permissions.isGranted(NUMBER, ANA)]).toEqual([false, true])
    clock.suspend(2 * DAY_MS)
    expect(await isRefused(), 'twice a week').toBe(true)
    clock.suspend(4 * DAY_MS)
    expect([await isRefused(), await permissions.isGranted(NUMBER, ANA)]).toEqual([false, false])
  },
)
