import { expect, test } from 'vitest'
import { worldOfTest, type World } from '../../support/world.ts'
import { campaign, campaignOf, expectCountsRight, phonesFrom, receivedBy, recipientsOf } from './campaign-world.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const PEOPLE = 330
const KNOWN = 30
const REFUSING = '12025550463'

/** In longer steps than `w.pass`, for the hours in which a number only waits. */
async function passQuickly(w: World, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 10 * SECOND) {
    await w.clock.advance(10 * SECOND)
    await w.quiet()
  }
}

test('a day of three numbers: 463 on one, one away for an hour, one logged out; the campaign completes', async () => {
  const w = await worldOfTest()
  const lines = [await w.pair(), await w.pair(), await w.pair()]
  const phones = phonesFrom(PEOPLE)
  // People whom every number may write to, restricted or not.
  const known = phones.slice(-KNOWN)
  for (const phone of known)
    for (const { phone_number: to } of lines)
      await w.api('POST', `/v1/sandbox/phones/${phone}/messages`, { to, text: 'Hello' })
  await w.quiet()
  // WhatsApp answers 463 to the number that happens to write to this person.
  phones.splice(60, 0, REFUSING)
  const id = await campaignOf(w, { instances: lines, phones, config: { minDelay: 40, maxDelay: 80 } })
  const refused = async () => (await recipientsOf(w, id)).find(({ status }) => status === 'failed')

  for (let i = 0; i < 360 && (await refused()) === undefined; i++) await passQuickly(w, 10 * SECOND)
  const restrictedAtMs = w.clock.now()
  const { phone: refusing, instance: a } = (await refused()) ?? {}
  expect(refusing).toBe(REFUSING)
  const [b, c] = lines.map((line) => String(line.id)).filter((line) => line !== a)

  // The sandbox lifts a restriction after a minute; this one lasts to the end.
  const underRestriction = async (ms: number) => {
    for (let left = ms; left > 0; left -= 40 * SECOND) {
      await w.api('POST', `/v1/sandbox/instances/${a}/faults`, { kind: 'restricted', times: 1 })
      await passQuickly(w, 40 * SECOND)
    }
  }
  await underRestriction(10 * MINUTE)
  await w.api('POST', `/v1/instances/${b}/disconnect`, { logout: false })
  await underRestriction(HOUR)
  await w.api('POST', `/v1/instances/${b}/restart`)
  await underRestriction(10 * MINUTE)
  await w.api('POST', `/v1/sandbox/instances/${c}/faults`, { kind: 'logout' })
  const loggedOutAtMs = w.clock.now()
  for (let i = 0; i < 24 && (await campaign(w, id)).status !== 'completed'; i++) await underRestriction(20 * MINUTE)

  const total = phones.length
  const { status, counts } = await campaign(w, id)
  expect([status, counts]).toMatchObject(['completed', { total, sent: total - 1, failed: 1, pending: 0 }])
  const got = await receivedBy(w)
  for (const phone of phones) expect(got.get(phone) ?? 0, phone).toBe(phone === REFUSING ? 0 : 1)
  const list = await recipientsOf(w, id)
  const sentBy = (line: string | null | undefined, sinceMs: number) =>
    list.filter(({ instance, claimedAt }) => instance === line && (claimedAt ?? 0) > sinceMs).map(({ phone }) => phone)
  const byRestricted = sentBy(a, restrictedAtMs)
  expect(byRestricted.length).toBeGreaterThan(0)
  for (const phone of byRestricted) expect(known).toContain(phone)
  expect(sentBy(b, loggedOutAtMs).length).toBeGreaterThan(0)
  expect(sentBy(c, loggedOutAtMs)).toEqual([])
  await expectCountsRight(w, id)
})
