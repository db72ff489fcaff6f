import type { SkipReason } from '../../contract/campaign-recipient.ts'
import { addCounts } from './counts.ts'
import { markSkipped, type Recipient } from './recipient-store.ts'
import type { CampaignState } from './state.ts'
import { addToAssigned } from './store.ts'
import type { TurnContext } from './turn-context.ts'

/** Skips this recipient permanently. */
export async function skipRecipient(
  state: Pick<CampaignState, 'notify'>,
  { tx, campaign }: Pick<TurnContext, 'tx' | 'campaign'>,
  { position, instanceId }: Recipient,
  reason: SkipReason,
): Promise<void> {
  const campaignId = campaign.id
  if ((await tx.run(markSkipped, { campaignId, position, reason })) === 0) return
  await addCounts(tx, { campaignId, instanceId: null, variation: null }, { pending: -1, skipped: 1 })
  if (instanceId !== null) await tx.run(addToAssigned, { campaignId, instanceId, by: -1 })
  state.notify(tx, campaign)
}
