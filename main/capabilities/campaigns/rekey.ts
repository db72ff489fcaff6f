import type { RecipientStatus } from '../../contract/campaign-recipient.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import { REKEYING_PORTION, rekey } from '../../kernel/rekeying.ts'
import { addCounts } from './counts.ts'
import { markSkipped, recipientsAfter, recipientWith, setCanonical, type KeyedRecipient } from './recipient-store.ts'
import { addToAssigned } from './store.ts'

/** Statuses of messages that were sent, or may have been. */
const TRIED: ReadonlySet<RecipientStatus> = new Set(['sending', 'sent', 'delivered', 'read', 'unknown'])

/**
 * Replaces the keys that an earlier version stored for recipients. A person whose number is in a campaign in two
 * spellings gets its message once. If both were sent, both stay in the report. Running it again changes nothing.
 */
export const rekeyRecipients = (db: Db): Promise<number> =>
  rekey<KeyedRecipient>(db, {
    table: 'campaign_recipients',
    page: (after) =>
      db.read(recipientsAfter, {
        afterId: after?.campaignId ?? '',
        afterPosition: after?.position ?? -1,
        rows: REKEYING_PORTION,
      }),
    move: giveKey,
  })

/** If two recipients of a campaign have the same key, only one of them gets the message. */
export async function giveKey(tx: Tx, row: KeyedRecipient, canonical: string): Promise<void> {
  const { campaignId, position } = row
  const known = await tx.one(recipientWith, { campaignId, canonical })
  if (known === undefined) {
    await tx.run(setCanonical, { campaignId, position, canonical })
    return
  }
  if (row.status === 'pending' && (known.status === 'pending' || TRIED.has(known.status))) return skip(tx, row)
  const isNeeded = row.status === 'pending' || (TRIED.has(row.status) && !TRIED.has(known.status))
  if (!isNeeded) return
  if (known.status === 'pending') await skip(tx, known)
  // Replies are looked up by the key, so it belongs to the recipient that gets the message.
  await tx.run(setCanonical, { campaignId, position, canonical: '' })
  await tx.run(setCanonical, { campaignId, position: known.position, canonical: row.number })
  await tx.run(setCanonical, { campaignId, position, canonical })
}

async function skip(tx: Tx, { campaignId, position, instanceId }: Omit<KeyedRecipient, 'number'>): Promise<void> {
  await tx.run(markSkipped, { campaignId, position, reason: 'contacted' })
  await addCounts(tx, { campaignId, instanceId: null, variation: null }, { pending: -1, skipped: 1 })
  if (instanceId !== null) await tx.run(addToAssigned, { campaignId, instanceId, by: -1 })
}
