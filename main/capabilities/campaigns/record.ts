import type { Campaign, CampaignInstance, CampaignSummary, CampaignVariation } from '../../contract/campaign.ts'
import type { CampaignRecipient } from '../../contract/campaign-recipient.ts'
import { firstOpenMs } from '../../contract/opening-hours.ts'
import { isoTime, isoTimeOrNull } from '../../contract/request.ts'
import { totalsOf, type Totals } from './counts.ts'
import type { CampaignsDeps } from './deps.ts'
import { estimateEnd } from './forecast.ts'
import type { NumberStates } from './links.ts'
import type { Recipient } from './recipient-store.ts'
import { isUnderWay } from './state.ts'
import { lanesOfMany, type CampaignHead, type Lane, type StoredCampaign } from './store.ts'

interface Whole {
  readonly campaign: CampaignHead
  readonly lanes: readonly Lane[]
  readonly totals: Totals
}

/** Campaigns as the API shows them. */
export function createRecords({
  db,
  clock,
  numberState,
  isSuspended,
  costs,
}: Pick<CampaignsDeps, 'db' | 'clock' | 'isSuspended' | 'costs'> & { readonly numberState: NumberStates }) {
  const read = { one: db.readOne, all: db.read } as const
  const suspended = (campaign: CampaignHead) =>
    campaign.status === 'paused' && isUnderWay(campaign) && isSuspended(campaign.accountId)

  async function gather(campaigns: readonly CampaignHead[]): Promise<Whole[]> {
    const ids = campaigns.map(({ id }) => id)
    const found = await lanesOfMany.over(ids, {}, (statement, params) => db.read(statement, params))
    const lanes = Map.groupBy(found.flat(), ({ campaignId }) => campaignId)
    const totals = await totalsOf(read, ids)
    return campaigns.map((campaign) => ({
      campaign,
      lanes: lanes.get(campaign.id) ?? [],
      totals: totals.get(campaign.id) ?? NO_TOTALS,
    }))
  }

  /** Inside the sending hours, and never in the past. */
  function nextSendAtMs(whole: Whole): number | null {
    const dueMs = nextDueMs(whole)
    return dueMs === null ? null : firstOpenMs(whole.campaign.config.window, Math.max(clock.now(), dueMs))
  }

  /** When the campaign or its numbers are due, whatever the sending hours are. */
  function nextDueMs({ campaign, lanes }: Whole): number | null {
    const { status, pauseReason, scheduledAtMs, resumeAtMs } = campaign
    if (waitsForMonth(campaign)) return nextMonth(clock.now())
    if (status === 'scheduled') return scheduledAtMs
    if (!isUnderWay(campaign) || pauseReason === 'no_instance') return null
    if (pauseReason === 'utility_templates') return resumeAtMs
    const next = Math.min(...lanes.filter(({ hasJob }) => hasJob === 1).map(({ nextAtMs }) => nextAtMs ?? 0))
    return Math.max(resumeAtMs ?? 0, Number.isFinite(next) ? next : 0)
  }

  function summary(whole: Whole): CampaignSummary {
    const { campaign, lanes, totals } = whole
    const isOpen = isUnderWay(campaign) || campaign.status === 'scheduled' || waitsForMonth(campaign)
    const next = isOpen && totals.counts.pending > 0 ? nextSendAtMs(whole) : null
    const eta = next === null ? null : estimateEnd(campaign.config, lanes.length, totals.counts.pending, next)
    return {
      campaign_id: campaign.id,
      name: campaign.name,
      status: campaign.status,
      pause_reason: suspended(campaign) ? 'account_suspended' : campaign.pauseReason,
      instance_ids: lanes.map(({ instanceId }) => instanceId),
      created_at: isoTime(campaign.createdAtMs),
      updated_at: isoTime(campaign.updatedAtMs),
      scheduled_at: isoTimeOrNull(campaign.scheduledAtMs),
      started_at: isoTimeOrNull(campaign.startedAtMs),
      finished_at: isoTimeOrNull(campaign.finishedAtMs),
      next_send_at: isoTimeOrNull(next),
      eta: isoTimeOrNull(eta),
      counts: totals.counts,
    }
  }

  async function perInstance({ campaign, lanes, totals }: Whole): Promise<CampaignInstance[]> {
    const now = clock.now()
    const isOpen = isUnderWay(campaign)
    const shown = lanes.map(async (lane): Promise<CampaignInstance> => {
      const { instance, link, restrictedUntilMs } = await numberState(read, campaign.accountId, lane.instanceId)
      const restricted = Math.max(restrictedUntilMs ?? 0, lane.restrictedUntilMs ?? 0)
      const dueMs = lane.nextAtMs ?? 0
      const isWaiting = isOpen && dueMs > now
      const nextMs = isWaiting && link === 'up' ? firstOpenMs(campaign.config.window, dueMs) : null
      const { sent = 0, failed = 0 } = totals.perInstance.get(lane.instanceId) ?? {}
      return {
        instance_id: lane.instanceId,
        ...{ sent, failed },
        state: stateOf(instance === undefined, link === 'up', restricted > now, isWaiting),
        restricted_until: restricted > now ? isoTime(restricted) : null,
        next_send_at: isoTimeOrNull(nextMs),
      }
    })
    return Promise.all(shown)
  }

  const perVariation = ({ messages }: StoredCampaign, { totals }: Whole): CampaignVariation[] =>
    messages.map((_message, index) => ({
      variation: index + 1,
      ...(totals.perVariation.get(index + 1) ?? { sent: 0, delivered: 0, read: 0, replied: 0, failed: 0 }),
    }))

  return {
    async summaries(campaigns: readonly CampaignHead[]): Promise<CampaignSummary[]> {
      return (await gather(campaigns)).map(summary)
    },
    async full(campaign: StoredCampaign): Promise<Campaign> {
      const [whole] = await gather([campaign])
      if (whole === undefined) throw new Error('A campaign was asked for and not found.')
      const { messages, variables, config } = campaign
      const { budget } = config
      return {
        ...summary(whole),
        ...{ messages: [...messages], variables: [...variables], config },
        spending: budget === null ? null : await costs.budgets.ofCampaign(campaign.id, budget),
        budget_hold: campaign.pauseReason === 'budget' ? campaign.budgetHold : null,
        per_instance: await perInstance(whole),
        per_variation: perVariation(campaign, whole),
      }
    },
    async figures(campaign: StoredCampaign) {
      const [whole] = await gather([campaign])
      if (whole === undefined) throw new Error('A campaign was asked for and not found.')
      return {
        counts: whole.totals.counts,
        per_instance: await perInstance(whole),
        per_variation: perVariation(campaign, whole),
      }
    },
  }
}

/** The budget of an account is per month, in UTC. */
const waitsForMonth = ({ pauseReason, budgetHold }: CampaignHead): boolean =>
  pauseReason === 'budget' && budgetHold === 'client'

function nextMonth(nowMs: number): number {
  const now = new Date(nowMs)
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)
}

export type Records = ReturnType<typeof createRecords>

function stateOf(isGone: boolean, isUp: boolean, isRestricted: boolean, isWaiting: boolean): CampaignInstance['state'] {
  if (isGone) return 'removed'
  if (!isUp) return 'disconnected'
  if (isRestricted) return 'restricted'
  return isWaiting ? 'waiting' : 'ready'
}

const NO_TOTALS: Totals = {
  counts: {
    ...{ total: 0, pending: 0, sent: 0, delivered: 0, read: 0, replied: 0, failed: 0, skipped: 0, unknown: 0 },
    opted_out: 0,
  },
  perInstance: new Map(),
  perVariation: new Map(),
}

export function toRecipient(recipient: Recipient): CampaignRecipient {
  const { phone, name, status, instanceId, variation, messageId, errorCode, errorMessage, skipReason } = recipient
  const isChosen = status !== 'pending'
  return {
    ...{ phone, name, status },
    variables: JSON.parse(recipient.variables ?? '{}') as Record<string, string>,
    instance_id: isChosen ? instanceId : null,
    variation: isChosen ? variation : null,
    message_id: messageId,
    error: status === 'failed' && errorCode !== null ? { code: errorCode, message: errorMessage ?? '' } : null,
    skip_reason: skipReason,
    sent_at: isoTimeOrNull(recipient.sentAtMs),
    delivered_at: isoTimeOrNull(recipient.deliveredAtMs),
    read_at: isoTimeOrNull(recipient.readAtMs),
    replied_at: isoTimeOrNull(recipient.repliedAtMs),
    opted_out_at: isoTimeOrNull(recipient.optedOutAtMs),
  }
}
