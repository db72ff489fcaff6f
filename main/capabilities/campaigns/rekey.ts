import type { Db, Tx } from '../../kernel/db.ts'
import { REKEYING_PORTION, rekey } from '../../kernel/rekeying.ts'
import { addCounts } from './counts.ts'
import { markSkipped, recipientsAfter, recipientWith, setCanonical, type KeyedRecipient } from './recipient-store.ts'
import { addToAssigned } from './store.ts'

/**
 * Gives recipients of an earlier version the key by which people are compared now. Somebody who is in a campaign under two
 * spellings gets its message once; what was sent to both stays in the report.
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
    async move(tx, row, canonical) {
      const { campaignId, position } = row
      const known = await tx.one(recipientWith, { campaignId, canonical })
      if (known === undefined) return tx.run(setCanonical, { campaignId, position, canonical })
      if (row.status === 'pending') return skip(tx, row)
      if (known.status !== 'pending') return undefined
      await skip(tx, known)
      // Replies are looked up by the key: it belongs to the one that was sent to.
      await tx.run(setCanonical, { campaignId, position, canonical: '' })
      await tx.run(setCanonical, { campaignId, position: known.position, canonical: row.number })
      return tx.run(setCanonical, { campaignId, position, canonical })
    },
  })

async function skip(tx: Tx, { campaignId, position, instanceId }: Omit<KeyedRecipient, 'number'>): Promise<void> {
  await tx.run(markSkipped, { campaignId, position, reason: 'contacted' })
  await addCounts(tx, { campaignId, instanceId: null, variation: null }, { pending: -1, skipped: 1 })
  if (instanceId !== null) await tx.run(addToAssigned, { campaignId, instanceId, by: -1 })
}
