import { expect, test } from 'vitest'
import { systemClock } from '../../../main/kernel/clock.ts'
import { officialNumber } from '../../support/official-number.ts'
import { pause, until } from '../../support/service-process.ts'
import { worldOfTest } from '../../support/world.ts'
import { campaign, campaignOf } from './campaign-world.ts'

const NUMBERS = 40
const SWIFT = { minDelay: 0, maxDelay: 0, pauseAfter: null, window: null, skipIfContactedHours: null, typing: false }
const HELLO = { cloud_api: { type: 'template', template: { name: 'hello_world', language: { code: 'en_US' } } } }

test(`a campaign of ${NUMBERS} numbers held for two reasons keeps one pause reason, and writes to nobody`, async () => {
  const w = await worldOfTest({ clock: systemClock, settings: { graphBaseUrl: 'sandbox', network: 'live' } })
  const lines = []
  for (let at = 0; at < NUMBERS; at++) {
    const line = await officialNumber(w, String(12_025_550_500 + at))
    await line.cause(at % 2 === 0 ? 'payment_missing' : 'display_name_pending')
    lines.push(line)
  }
  const phones = Array.from({ length: 99 }, (_, at) => String(12_025_550_100 + at))
  const id = await campaignOf(w, { instances: lines, phones, messages: [HELLO], config: SWIFT })
  const paused = await until('paused', async () => {
    const found = await campaign(w, id)
    return found.status === 'paused' ? found : undefined
  })
  await pause(12_000)
  expect(await campaign(w, id)).toMatchObject({
    ...{ status: 'paused', pause_reason: paused.pause_reason, updated_at: paused.updated_at },
    counts: { pending: phones.length, failed: 0 },
  })
})
