import { expect } from 'vitest'
import type { World } from '../../support/world.ts'

export interface CampaignWish {
  readonly instances: readonly { readonly id: string }[]
  readonly phones: readonly string[]
  readonly config?: object
  readonly messages?: readonly object[]
  readonly start?: boolean
}

/** Sandbox numbers without a meaning of their own. */
export const phonesFrom = (count: number, first = 12_025_560_000): string[] => {
  const phones: string[] = []
  for (let number = first; phones.length < count; number++)
    if (/[1-9]$/.test(String(number)) && !/(0463|0404|0410|0502|0504|0007)$/.test(String(number)))
      phones.push(String(number))
  return phones
}

const SWIFT = { minDelay: 0, maxDelay: 0, checkNumbers: false }

/** @returns its id */
export async function campaignOf(w: World, wish: CampaignWish): Promise<string> {
  const made = await w.api('POST', '/v1/campaigns', {
    instance_ids: wish.instances.map(({ id }) => id),
    name: 'Offer',
    messages: wish.messages ?? [{ text: 'Hello {{name|there}}' }],
    recipients: wish.phones.map((phone) => ({ phone })),
    config: wish.config ?? SWIFT,
    start: wish.start ?? true,
  })
  expect(made.status, made.text).toBe(201)
  return made.body.campaign_id
}

export const campaign = async (w: World, id: string) => (await w.api('GET', `/v1/campaigns/${id}`)).body

export interface StoredRecipient {
  readonly position: number
  readonly phone: string
  readonly status: string
  readonly instance: string | null
  readonly variation: number | null
  readonly claimedAt: number | null
}

export const recipientsOf = (w: World, id: string) =>
  w.rows<StoredRecipient>(
    `SELECT position, phone, status, instance_id AS instance, variation, claimed_at AS claimedAt
     FROM campaign_recipients WHERE campaign_id = :id ORDER BY position`,
    { id },
  )

/** What phones received, by number: how many messages each. */
export async function receivedBy(w: World): Promise<ReadonlyMap<string, number>> {
  const rows = await w.rows<{ number: string; count: number }>(
    `SELECT p.number AS number, COUNT(*) AS count FROM sandbox_messages m JOIN sandbox_phones p ON p.seq = m.phone
     GROUP BY p.number`,
  )
  return new Map(rows.map(({ number, count }) => [number, count]))
}

/** The counters of a campaign, of its numbers and of its variations equal a count of its recipients. */
export async function expectCountsRight(w: World, id: string): Promise<void> {
  const rows = await w.rows<Counted>(
    `SELECT status, instance_id AS instance, variation, CASE WHEN replied_at IS NULL THEN 0 ELSE 1 END AS replied,
       CASE WHEN opted_out_at IS NULL THEN 0 ELSE 1 END AS optedOut
     FROM campaign_recipients WHERE campaign_id = :id`,
    { id },
  )
  const { counts, per_instance: numbers, per_variation: variations } = await campaign(w, id)
  const { sent, delivered, read, replied, failed } = tallyOf(rows)
  expect(counts).toEqual({
    ...{ total: rows.length, sent, delivered, read, replied, failed },
    pending: count(rows, 'pending', 'sending'),
    skipped: count(rows, 'skipped'),
    unknown: count(rows, 'unknown'),
    opted_out: rows.reduce((sum, { optedOut }) => sum + optedOut, 0),
  })
  for (const { instance_id: instance, ...shown } of numbers) {
    const own = tallyOf(rows.filter((row) => row.instance === instance))
    expect(shown, instance).toMatchObject({ sent: own.sent, failed: own.failed })
  }
  for (const { variation, ...shown } of variations)
    expect(shown, `variation ${variation}`).toEqual(tallyOf(rows.filter((row) => row.variation === variation)))
}

interface Counted {
  readonly status: string
  readonly instance: string | null
  readonly variation: number | null
  readonly replied: 0 | 1
  readonly optedOut: 0 | 1
}

const count = (rows: readonly Counted[], ...statuses: string[]) =>
  rows.filter(({ status }) => statuses.includes(status)).length

const tallyOf = (rows: readonly Counted[]) => ({
  sent: count(rows, 'sent', 'delivered', 'read'),
  delivered: count(rows, 'delivered', 'read'),
  read: count(rows, 'read'),
  replied: rows.reduce((sum, { replied }) => sum + replied, 0),
  failed: count(rows, 'failed'),
})
