import fc from 'fast-check'
import { afterAll, beforeAll, test } from 'vitest'
import { world, type World } from '../../support/world.ts'
import { campaignOf, expectCountsRight, phonesFrom } from './campaign-world.ts'

let w: World
let lines: { id: string; phone_number: string }[]
beforeAll(async () => {
  w = await world()
  lines = [await w.pair(), await w.pair()]
})
afterAll(() => w.close())

let next = 12_035_000_000
/** Some are not on WhatsApp, never get it, are refused, or stay unknown. */
const SPECIAL = ['0410', '0007', '0404', '0502', '0504']

/** What can happen to a campaign, to one of its people or to one of its numbers. */
const acts = fc.array(
  fc.record({
    what: fc.constantFrom(
      'pass',
      'pass',
      'reply',
      'stop',
      'opt_out',
      'pause',
      'resume',
      'drop',
      'restricted',
      'timeout',
    ),
    who: fc.nat(11),
  }),
  { minLength: 4, maxLength: 12 },
)

test('the counters equal a full count of the recipients after any sequence of changes', async () => {
  await fc.assert(
    fc.asyncProperty(acts, async (steps) => {
      next += 10_000
      const phones = [...phonesFrom(7, next), ...SPECIAL.map((end) => `${String(next).slice(0, 7)}${end}`)]
      const id = await campaignOf(w, {
        ...{ instances: lines, phones, messages: [{ text: 'A' }, { text: 'B' }] },
        config: { minDelay: 1, maxDelay: 3, maxFailuresInRow: null, stopOnErrorPercent: null },
      })
      for (const { what, who } of steps) {
        const phone = phones[who] ?? ''
        const line = lines[who % 2]
        const says = (text: string) =>
          w.api('POST', `/v1/sandbox/phones/${phone}/messages`, { to: line?.phone_number, text })
        const fault = (body: object) => w.api('POST', `/v1/sandbox/instances/${line?.id}/faults`, body)
        if (what === 'pass') await w.pass(4_000)
        else if (what === 'reply') await says('Yes')
        else if (what === 'stop') await says('STOP')
        else if (what === 'opt_out') await w.api('POST', '/v1/opt-outs', { phone })
        else if (what === 'drop') await fault({ kind: 'drop' })
        else if (what === 'pause' || what === 'resume') await w.api('POST', `/v1/campaigns/${id}/${what}`)
        else await fault({ kind: what, times: 1 })
        await w.quiet()
        await expectCountsRight(w, id)
      }
      await w.api('POST', `/v1/campaigns/${id}/resume`)
      await w.pass(60_000)
      await expectCountsRight(w, id)
    }),
    { numRuns: 4, seed: 16 },
  )
})
