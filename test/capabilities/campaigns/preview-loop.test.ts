import { expect, test, vi } from 'vitest'
import { LIMITS } from '../../../main/contract/limits.ts'
import { shortestOf, slowness } from '../../support/loop-stretch.ts'
import { worldOfTest } from '../../support/world.ts'

vi.setConfig({ testTimeout: 120_000 })

test('the preview of the longest messages for thousands of people does not block the event loop', async () => {
  const w = await worldOfTest()
  const { id } = await w.pair()
  const recipients = Array.from({ length: 2_000 }, (_, at) => ({
    phone: String(12_025_600_000 + at),
    name: `Ana ${at}`,
  }))
  const text = `{{name}} ${'ção '.repeat((LIMITS.textLength - 100) / 4)}`
  const messages = Array.from({ length: 20 }, () => ({ text }))
  const asked = { instance_ids: [id], messages, recipients }
  const preview = async () => {
    const { status, body } = await w.api('POST', '/v1/campaigns/preview', asked)
    expect([status, body.total]).toEqual([200, recipients.length])
  }
  await preview()
  const stretch = await shortestOf(3, preview, 50)
  expect(stretch < 50 ? stretch : stretch / slowness()).toBeLessThan(50)
})
