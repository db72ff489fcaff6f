import { expect, test } from 'vitest'
import { CALLS_AT_ONCE, createCallSlots } from '../../../main/capabilities/instance-webhook/call-slots.ts'
import { BUSY, OTHER } from '../../support/jobs.ts'

test('an account with many hanging receivers leaves capacity for the instances of other accounts', () => {
  const slots = createCallSlots()
  for (let n = 0; n < 40; n++) slots.markDue({ instanceId: `busy ${n}`, accountId: BUSY })
  const taken = slots.plan(1_000)
  expect(taken.reduce((total, share) => total + share.slots, 0)).toBe(CALLS_AT_ONCE / 2)
  slots.markDue({ instanceId: 'other', accountId: OTHER })
  expect(slots.plan(1_000)).toMatchObject([{ instanceId: 'other', slots: 4 }])

  // It makes room for the other one; then the next of its instances has its turn.
  for (let n = 0; n < 4; n++) slots.release('busy 0')
  expect(slots.plan(1_000)).toMatchObject([{ instanceId: 'busy 8', slots: 2 }])
})
