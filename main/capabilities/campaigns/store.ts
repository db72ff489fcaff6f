import type { CampaignMessage } from '../../contract/campaign-message.ts'
import type { CampaignConfig, CampaignConfigInput, CampaignStatus, PauseReason } from '../../contract/campaign.ts'
import type { Network } from '../../contract/shapes.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import { sqlOfList } from '../../kernel/sql-list.ts'
import { sql } from '../../kernel/sql.ts'

export interface StoredCampaign {
  readonly seq: number
  readonly id: string
  readonly accountId: AccountId
  readonly name: string
  readonly status: CampaignStatus
  readonly pauseReason: PauseReason | null
  readonly network: Network
  readonly messages: readonly CampaignMessage[]
  /** Variables in addition to `name` and `phone`. */
  readonly variables: readonly string[]
  readonly config: CampaignConfig
  readonly configInput: CampaignConfigInput
  readonly nextPosition: number
  readonly loading: 0 | 1 | 2
  readonly resumeAtMs: number | null
  readonly unusableSinceMs: number | null
  /** The budget it waits for. */
  readonly budgetHold: 'campaign' | 'client' | null
  /** What its next message is expected to cost, in millionths; null: unknown. */
  readonly budgetNeeds: number | null
  readonly budgetWarnedAtMs: number | null
  readonly createdAtMs: number
  readonly updatedAtMs: number
  readonly scheduledAtMs: number | null
  readonly startedAtMs: number | null
  readonly finishedAtMs: number | null
}

/** A campaign without its texts, which can be megabytes. Lists of campaigns are read without them. */
export type CampaignHead = Omit<StoredCampaign, 'messages' | 'variables' | 'configInput'>

export interface CampaignHeadRow extends Omit<CampaignHead, 'config'> {
  readonly config: string
}

export interface CampaignRow extends Omit<StoredCampaign, 'messages' | 'variables' | 'config' | 'configInput'> {
  readonly messages: string
  readonly variables: string
  readonly config: string
  readonly configInput: string
}

/** The table has no room for the reasons `held_by` and `utility_hold`, so they have their own columns. */
const PAUSE_REASON = `CASE WHEN pause_reason <> 'restricted' THEN pause_reason
  WHEN utility_hold = 1 THEN 'utility_templates' ELSE COALESCE(held_by, pause_reason) END`
const HEAD = `seq, id, account_id AS accountId, name, status, ${PAUSE_REASON} AS pauseReason, network,
  config, next_position AS nextPosition, loading, resume_at AS resumeAtMs,
  unusable_since AS unusableSinceMs, budget_hold AS budgetHold, budget_needs AS budgetNeeds,
  budget_warned_at AS budgetWarnedAtMs, created_at AS createdAtMs, updated_at AS updatedAtMs,
  scheduled_at AS scheduledAtMs, started_at AS startedAtMs, finished_at AS finishedAtMs`
const CAMPAIGN = `${HEAD}, messages, variables, config_input AS configInput`

/** Written by this room. Earlier versions had no budgets. */
const toConfig = (text: string): CampaignConfig => ({
  ...{ budget: null },
  ...(JSON.parse(text) as Omit<CampaignConfig, 'budget'>),
})

export const toHead = (row: CampaignHeadRow): CampaignHead => ({ ...row, config: toConfig(row.config) })

/** The JSON was written by this room. */
export const toCampaign = (row: CampaignRow): StoredCampaign => ({
  ...row,
  messages: JSON.parse(row.messages) as CampaignMessage[],
  variables: JSON.parse(row.variables) as string[],
  config: toConfig(row.config),
  configInput: JSON.parse(row.configInput) as CampaignConfigInput,
})

export const insertCampaign = sql<{
  seq: number
  id: string
  accountId: string
  name: string
  network: string
  messages: string
  variables: string
  config: string
  configInput: string
  loading: number
  idempotencyKey: string | null
  now: number
  scheduledAtMs: number | null
}>(`INSERT INTO campaigns (seq, id, account_id, name, status, network, messages, variables, config, config_input,
      next_position, loading, idem_key, created_at, updated_at, scheduled_at)
    VALUES (:seq, :id, :accountId, :name, 'draft', :network, :messages, :variables, :config, :configInput,
      1, :loading, :idempotencyKey, :now, :now, :scheduledAtMs)`)

export const campaignById = sql<{ id: string }, CampaignRow>(`SELECT ${CAMPAIGN} FROM campaigns WHERE id = :id`)

export const statusOf = sql<{ id: string }, { readonly status: CampaignStatus }>(
  'SELECT status FROM campaigns WHERE id = :id',
)

export const campaignsPage = sql<{ accountId: string; beforeSeq: number; rows: number }, CampaignHeadRow>(
  `SELECT ${HEAD} FROM campaigns WHERE account_id = :accountId AND seq < :beforeSeq AND loading <> 2
   ORDER BY seq DESC LIMIT :rows`,
)

export const campaignsPageByStatus = sql<
  { accountId: string; status: string; beforeSeq: number; rows: number },
  CampaignHeadRow
>(
  `SELECT ${HEAD} FROM campaigns
   WHERE account_id = :accountId AND status = :status AND seq < :beforeSeq AND loading <> 2
   ORDER BY seq DESC LIMIT :rows`,
)

/** Campaigns that can still send, by sequence number. */
export const openCampaigns = sql<{ status: string; afterSeq: number; rows: number }, CampaignHeadRow>(
  `SELECT ${HEAD} FROM campaigns
   WHERE status IN ('scheduled', 'running', 'paused') AND status = :status AND seq > :afterSeq ORDER BY seq LIMIT :rows`,
)

export const loadingCampaigns = sql<
  { afterSeq: number; rows: number },
  { seq: number; id: string; accountId: AccountId; loading: number; idempotencyKey: string | null }
>(
  `SELECT seq, id, account_id AS accountId, loading, idem_key AS idempotencyKey FROM campaigns
   WHERE loading > 0 AND seq > :afterSeq ORDER BY seq LIMIT :rows`,
)

export const setLoading = sql<{ id: string; from: number; to: number }>(
  'UPDATE campaigns SET loading = :to WHERE id = :id AND loading = :from',
)

export const updateDraft = sql<{
  id: string
  name: string
  network: string
  messages: string
  config: string
  configInput: string
  scheduledAtMs: number | null
  now: number
}>(`UPDATE campaigns SET name = :name, network = :network, messages = :messages, config = :config,
      config_input = :configInput, scheduled_at = :scheduledAtMs, updated_at = :now
    WHERE id = :id`)

/** The fields that change when recipients are added. Reading whole rows would be slow: messages can be megabytes. */
export const growthOf = sql<{ id: string }, { readonly nextPosition: number; readonly variables: string }>(
  'SELECT next_position AS nextPosition, variables FROM campaigns WHERE id = :id',
)

export const setNextPosition = sql<{ id: string; nextPosition: number }>(
  'UPDATE campaigns SET next_position = :nextPosition WHERE id = :id',
)

export const setVariables = sql<{ id: string; variables: string; now: number }>(
  'UPDATE campaigns SET variables = :variables, updated_at = :now WHERE id = :id',
)

/** Writes all fields of the state. */
export const setState = sql<{
  id: string
  status: CampaignStatus
  pauseReason: PauseReason | null
  heldBy: 'messaging_limit' | null
  utilityHold: 0 | 1
  budgetHold: 'campaign' | 'client' | null
  budgetNeeds: number | null
  resumeAtMs: number | null
  unusableSinceMs: number | null
  scheduledAtMs: number | null
  startedAtMs: number | null
  finishedAtMs: number | null
  now: number
}>(`UPDATE campaigns SET status = :status, pause_reason = :pauseReason, held_by = :heldBy, utility_hold = :utilityHold, budget_hold = :budgetHold,
      budget_needs = :budgetNeeds, resume_at = :resumeAtMs,
      unusable_since = :unusableSinceMs, scheduled_at = :scheduledAtMs, started_at = :startedAtMs,
      finished_at = :finishedAtMs, updated_at = :now
    WHERE id = :id`)

export const setBudget = sql<{ id: string; config: string; configInput: string; now: number }>(
  `UPDATE campaigns SET config = :config, config_input = :configInput, budget_warned_at = NULL, updated_at = :now
   WHERE id = :id`,
)

/** Changes nothing if the warning was already sent. */
export const setBudgetWarned = sql<{ id: string; now: number }>(
  'UPDATE campaigns SET budget_warned_at = :now WHERE id = :id AND budget_warned_at IS NULL',
)

/** Campaigns of an account that wait for a budget. */
export const heldByBudgetOf = sql<{ accountId: string }, { id: string }>(
  `SELECT id FROM campaigns
   WHERE account_id = :accountId AND budget_hold IS NOT NULL AND status = 'paused' AND pause_reason = 'budget'
   ORDER BY seq`,
)

export const deleteCampaign = sql<{ id: string }>('DELETE FROM campaigns WHERE id = :id')
export const deleteStreak = sql<{ id: string }>('DELETE FROM campaign_streaks WHERE campaign_id = :id')
export const deleteLanes = sql<{ id: string }>('DELETE FROM campaign_instances WHERE campaign_id = :id')
export const deleteCounts = sql<{ id: string }>('DELETE FROM campaign_counts WHERE campaign_id = :id')
export const deleteRecipients = sql<{ id: string; rows: number }>(
  `DELETE FROM campaign_recipients WHERE campaign_id = :id AND position IN (
     SELECT position FROM campaign_recipients WHERE campaign_id = :id ORDER BY position LIMIT :rows)`,
)

/** A number of a campaign. */
export interface Lane {
  readonly campaignId: string
  readonly position: number
  readonly instanceId: InstanceId
  readonly assigned: number
  readonly hasJob: 0 | 1
  readonly nextAtMs: number | null
  readonly sincePause: number
  readonly day: string
  readonly daySent: number
  readonly restrictedUntilMs: number | null
  readonly removed: 0 | 1
}

const LANE = `campaign_id AS campaignId, position, instance_id AS instanceId, assigned, has_job AS hasJob,
  next_at AS nextAtMs, since_pause AS sincePause, day, day_sent AS daySent, restricted_until AS restrictedUntilMs, removed`

export const insertLane = sql<{ campaignId: string; position: number; instanceId: string }>(
  `INSERT INTO campaign_instances (campaign_id, position, instance_id, assigned, has_job, since_pause, day, day_sent, removed)
   VALUES (:campaignId, :position, :instanceId, 0, 0, 0, '', 0, 0)`,
)

export const lanesOf = sql<{ campaignId: string }, Lane>(
  `SELECT ${LANE} FROM campaign_instances WHERE campaign_id = :campaignId ORDER BY position`,
)

export const lanesOfMany = sqlOfList<string, Record<never, never>, Lane>(
  (ids) => `SELECT ${LANE} FROM campaign_instances WHERE campaign_id IN (${ids}) ORDER BY campaign_id, position`,
)

/** Running campaigns that use the instance. */
export const campaignsOfInstance = sql<{ instanceId: string }, { campaignId: string }>(
  `SELECT ci.campaign_id AS campaignId FROM campaign_instances ci JOIN campaigns c ON c.id = ci.campaign_id
   WHERE ci.instance_id = :instanceId AND ci.removed = 0 AND c.status IN ('draft', 'scheduled', 'running', 'paused')
   ORDER BY ci.campaign_id`,
)

export const setHasJob = sql<{ campaignId: string; instanceId: string; hasJob: 0 | 1 }>(
  `UPDATE campaign_instances SET has_job = :hasJob
   WHERE instance_id = :instanceId AND campaign_id = :campaignId AND has_job <> :hasJob`,
)

export const addToAssigned = sql<{ campaignId: string; instanceId: string; by: number }>(
  `UPDATE campaign_instances SET assigned = assigned + :by
   WHERE instance_id = :instanceId AND campaign_id = :campaignId`,
)

export const setProgress = sql<{
  campaignId: string
  instanceId: string
  nextAtMs: number | null
  sincePause: number
  day: string
  daySent: number
}>(`UPDATE campaign_instances SET next_at = :nextAtMs, since_pause = :sincePause, day = :day, day_sent = :daySent
    WHERE instance_id = :instanceId AND campaign_id = :campaignId`)

export const hastenLane = sql<{ campaignId: string; instanceId: string; untilMs: number }>(
  `UPDATE campaign_instances SET next_at = :untilMs
   WHERE instance_id = :instanceId AND campaign_id = :campaignId AND next_at > :untilMs`,
)

export const delayLane = sql<{ campaignId: string; instanceId: string; untilMs: number }>(
  `UPDATE campaign_instances SET next_at = :untilMs
   WHERE instance_id = :instanceId AND campaign_id = :campaignId AND COALESCE(next_at, 0) < :untilMs`,
)

export const setRestricted = sql<{ campaignId: string; instanceId: string; untilMs: number | null }>(
  `UPDATE campaign_instances SET restricted_until = :untilMs
   WHERE instance_id = :instanceId AND campaign_id = :campaignId`,
)

export const setRemoved = sql<{ campaignId: string; instanceId: string }>(
  'UPDATE campaign_instances SET removed = 1 WHERE instance_id = :instanceId AND campaign_id = :campaignId',
)

export const streakOf = sql<{ campaignId: string }, { recent: string }>(
  'SELECT recent FROM campaign_streaks WHERE campaign_id = :campaignId',
)

export const saveStreak = sql<{ campaignId: string; recent: string }>(
  `INSERT INTO campaign_streaks (campaign_id, recent) VALUES (:campaignId, :recent)
   ON CONFLICT (campaign_id) DO UPDATE SET recent = excluded.recent`,
)

export const checksOf = sqlOfList<
  string,
  { network: string; since: number },
  { phone: string; canonical: string | null }
>(
  (phones) =>
    `SELECT phone, canonical FROM campaign_number_checks
     WHERE network = :network AND phone IN (${phones}) AND checked_at >= :since`,
)

export const saveCheck = sql<{ network: string; phone: string; canonical: string | null; now: number }>(
  `INSERT INTO campaign_number_checks (network, phone, canonical, checked_at) VALUES (:network, :phone, :canonical, :now)
   ON CONFLICT (network, phone) DO UPDATE SET canonical = excluded.canonical, checked_at = excluded.checked_at`,
)

export const pruneChecks = sql<{ before: number; rows: number }>(
  `DELETE FROM campaign_number_checks WHERE (network, phone) IN (
     SELECT network, phone FROM campaign_number_checks WHERE checked_at < :before ORDER BY checked_at LIMIT :rows)`,
)
