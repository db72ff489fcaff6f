import type { CampaignConfigInput, CampaignStatus } from '../../contract/campaign.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Principal } from '../../kernel/access.ts'
import type { Tx } from '../../kernel/db.ts'
import { completeBudget, type BudgetInput } from '../../contract/costs.ts'
import type { Access, Found } from './access.ts'
import type { BudgetHolds } from './budget-holds.ts'
import { completeConfig } from './config.ts'
import type { UpdateCampaignBody } from './contract/lifecycle.ts'
import { readTime } from './create.ts'
import type { CampaignsDeps } from './deps.ts'
import type { ListReader } from './lists.ts'
import { mergeTallies, type Loading } from './loading.ts'
import { requireMessages } from './messages.ts'
import { emptyTally, requireSomeUsable, sourceOf, type RecipientSource, type Tally } from './recipients.ts'
import { notIn, type CampaignState } from './state.ts'
import { requireUploads } from './uploads.ts'
import {
  deleteLanes,
  insertLane,
  setBudget as storeBudget,
  setLoading,
  setVariables,
  updateDraft,
  type StoredCampaign,
} from './store.ts'

interface UpdateDeps extends Pick<CampaignsDeps, 'db' | 'clock' | 'messages' | 'config'> {
  readonly access: Access
  readonly lists: ListReader
  readonly loading: Loading
  readonly state: CampaignState
  readonly budgetHolds: Pick<BudgetHolds, 'goOn'>
}

const BEFORE_THE_END: readonly CampaignStatus[] = ['draft', 'scheduled', 'running', 'paused']

/** undefined: the body changes something else as well. */
function budgetAlone({ config, ...others }: UpdateCampaignBody): BudgetInput | null | undefined {
  const isAlone = config !== undefined && Object.keys(config).length === 1 && Object.keys(others).length === 0
  return isAlone ? config.budget : undefined
}

/** A new configuration without a budget keeps the old one, because changing a budget may need more rights. */
function configAfter({ configInput }: StoredCampaign, { config }: UpdateCampaignBody): CampaignConfigInput {
  const { budget } = configInput
  if (config === undefined || budget === undefined) return config ?? configInput
  return { budget, ...config }
}

/** Changes drafts, the time of scheduled campaigns, and the budget of campaigns that have not ended. */
export function createUpdate(deps: UpdateDeps) {
  const { db, clock, access, lists, loading, state, budgetHolds } = deps

  async function reschedule({ campaign }: Found, body: UpdateCampaignBody): Promise<void> {
    const { scheduled_at: scheduledAt, ...others } = body
    if (scheduledAt === undefined || Object.keys(others).length > 0) {
      throw new ApiError(
        'invalid_state',
        'This campaign is scheduled. Set scheduled_at to null, which makes it a draft again, before you change it.',
      ).because('campaign_scheduled')
    }
    const atMs = scheduledAt === null ? null : readTime(scheduledAt, clock.now())
    await db.commit(async (tx) => {
      const current = await requireState(tx, campaign.id, ['scheduled'])
      if (atMs === null) await state.unschedule(tx, current)
      else await state.schedule(tx, current, atMs)
    })
  }

  async function changeDraft(caller: Principal, { campaign, instanceIds }: Found, body: UpdateCampaignBody) {
    const wanted = body.instance_ids ?? instanceIds
    const numbers = await access.numbers(caller, wanted)
    const input = configAfter(campaign, body)
    const config = completeConfig(input, numbers, deps.config.safetyTimezone)
    const messages = body.messages ?? campaign.messages
    requireMessages(messages, numbers.engines)
    if (body.messages !== undefined) await requireUploads(deps.messages.uploads, caller.accountId, messages)
    const { scheduled_at: scheduledAt } = body
    const scheduledAtMs =
      scheduledAt === undefined ? campaign.scheduledAtMs : scheduledAt && readTime(scheduledAt, clock.now())
    const list = await lists.read(campaign.accountId, body)
    requireSomeUsable(list)
    await db.commit(async (tx) => {
      const { id } = await requireState(tx, campaign.id, ['draft'])
      await tx.run(updateDraft, {
        ...{ id, name: body.name ?? campaign.name, network: numbers.network, messages: JSON.stringify(messages) },
        ...{ config: JSON.stringify(config), configInput: JSON.stringify(input), now: clock.now() },
        scheduledAtMs: scheduledAtMs || null,
      })
      state.notify(tx, campaign)
      if (body.instance_ids === undefined) return
      await tx.run(deleteLanes, { id })
      for (const [position, instanceId] of wanted.entries())
        await tx.run(insertLane, { campaignId: id, position, instanceId })
    })
    const isListed = body.recipients !== undefined || body.recipients_tag !== undefined
    return isListed
      ? fill({ campaign, instanceIds: wanted }, sourceOf(list), body.recipients !== undefined)
      : emptyTally()
  }

  async function requireState(tx: Tx, id: string, allowed: readonly string[]): Promise<StoredCampaign> {
    const campaign = await state.load(tx, id)
    if (campaign === undefined) throw new ApiError('not_found', 'There is no campaign with this id.')
    if (!allowed.includes(campaign.status))
      throw new ApiError('invalid_state', `This campaign is ${campaign.status}. Only a draft can be changed.`).because(
        'campaign_not_draft',
      )
    return campaign
  }

  /** Adds a list of recipients, or replaces the existing one. Only one list at a time. */
  async function fill(
    { campaign, instanceIds }: { campaign: StoredCampaign; instanceIds: readonly string[] },
    source: RecipientSource,
    replaces: boolean,
  ): Promise<Tally> {
    const { id, accountId } = campaign
    await db.commit(async (tx) => {
      await requireState(tx, id, ['draft', 'scheduled'])
      if ((await tx.run(setLoading, { id, from: 0, to: 1 })) === 0)
        throw new ApiError('invalid_state', 'Recipients are still being added. Repeat this when that is done.').because(
          'campaign_loading',
        )
      loading.begin(tx, id)
    })
    try {
      if (replaces) {
        await loading.removeAll(id)
        await db.commit(async (tx) => {
          await requireState(tx, id, ['draft', 'scheduled'])
          await tx.run(setVariables, { id, variables: '[]', now: clock.now() })
        })
      }
      const tally = await loading.addAll({ id, accountId, instanceIds }, source)
      await db.commit((tx) => loading.nameVariables(tx, id, source.variables, clock.now()))
      return mergeTallies([tally])
    } finally {
      loading.end(id)
      await db.commit(async (tx) => {
        await tx.run(setLoading, { id, from: 1, to: 0 })
        state.notify(tx, campaign)
      })
    }
  }

  /** @throws ApiError invalid_state for a campaign that has ended. */
  async function setBudget({ campaign }: Found, input: BudgetInput | null): Promise<void> {
    const budget = input === null ? null : completeBudget(input)
    await db.commit(async (tx) => {
      const found = await state.load(tx, campaign.id)
      if (found === undefined) throw new ApiError('not_found', 'There is no campaign with this id.')
      if (!BEFORE_THE_END.includes(found.status)) throw notIn(found, 'given a budget')
      const [config, configInput] = [
        { ...found.config, budget },
        { ...found.configInput, budget },
      ]
      await tx.run(storeBudget, {
        ...{ id: found.id, config: JSON.stringify(config), configInput: JSON.stringify(configInput) },
        now: clock.now(),
      })
      state.notify(tx, found)
      await budgetHolds.goOn(tx, found.id)
    })
  }

  return {
    fill,

    /** @returns how many of `recipients` were accepted, and which were rejected. */
    async update(caller: Principal, id: string, body: UpdateCampaignBody): Promise<Tally> {
      const found = await access.get(caller, id)
      if (Object.keys(body).length === 0) return emptyTally()
      const budget = budgetAlone(body)
      if (budget !== undefined) {
        await setBudget(found, budget)
        return emptyTally()
      }
      if (found.campaign.status !== 'scheduled') return changeDraft(caller, found, body)
      await reschedule(found, body)
      return emptyTally()
    },

    /** @throws ApiError invalid_state unless it is a draft */
    async remove(caller: Principal, id: string): Promise<void> {
      const { campaign } = await access.get(caller, id)
      await db.commit(async (tx) => {
        await requireState(tx, id, ['draft'])
        // Hides it immediately. After a crash or with a full disk, recovery.ts removes the rest.
        const isFree = (await tx.run(setLoading, { id, from: 0, to: 2 })) === 1
        if (!isFree)
          throw new ApiError('invalid_state', 'Recipients are still being added. Delete it when that is done.').because(
            'campaign_loading',
          )
        loading.begin(tx, id)
      })
      try {
        await loading.removeAll(id)
        await db.commit(async (tx) => {
          await loading.removeCampaign(tx, id)
          state.notify(tx, campaign)
        })
      } finally {
        loading.end(id)
      }
    },
  }
}
