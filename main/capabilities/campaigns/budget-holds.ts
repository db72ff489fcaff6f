import type { Tx } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { yieldToEventLoop } from '../../kernel/yield-to-event-loop.ts'
import type { CampaignsDeps } from './deps.ts'
import type { CampaignState } from './state.ts'
import { heldByBudgetOf, openCampaigns, toHead, type CampaignHead } from './store.ts'

interface Deps extends Pick<CampaignsDeps, 'db' | 'costs'> {
  readonly state: CampaignState
}

const PAGE = 200

export type BudgetHolds = ReturnType<typeof createBudgetHolds>

/** Campaigns that wait for a budget, and how they continue. */
export function createBudgetHolds({ db, costs, state }: Deps) {
  const read = { one: db.readOne, all: db.read } as const

  /** Whether the budget now covers the campaign's next message. */
  async function isCovered(from: Pick<Tx, 'one' | 'all'>, campaign: CampaignHead): Promise<boolean> {
    const { id: campaignId, accountId, pauseReason, budgetHold: by, budgetNeeds: needsMicros } = campaign
    if (pauseReason !== 'budget') return false
    if (by === null) return true
    const limits = await costs.budgets.limitsOf(from, { accountId, campaignId, budget: campaign.config.budget })
    return limits.covers({ by, needsMicros })
  }

  /** Continues a campaign that waits for a budget, if it now covers the next message. */
  async function goOn(tx: Tx, id: string): Promise<void> {
    const campaign = await state.load(tx, id)
    if (campaign !== undefined && (await isCovered(tx, campaign))) await state.begin(tx, campaign)
  }

  return {
    goOn,

    /** Runs in the commit that changes the budget of an account. */
    async accountChanged(tx: Tx, accountId: AccountId): Promise<void> {
      for (const { id } of await tx.all(heldByBudgetOf, { accountId })) await goOn(tx, id)
    },

    /** Runs when a month has begun, messages failed or were free, or prices changed. */
    async look(): Promise<void> {
      for (let afterSeq = 0, rows = PAGE; rows === PAGE;) {
        const found = (await db.read(openCampaigns, { status: 'paused', afterSeq, rows: PAGE })).map(toHead)
        for (const campaign of found.filter(({ pauseReason }) => pauseReason === 'budget')) {
          await yieldToEventLoop()
          if (campaign.budgetHold === 'client') await costs.budgets.prepare(campaign.accountId)
          if (await isCovered(read, campaign)) await db.commit((tx) => goOn(tx, campaign.id))
        }
        afterSeq = found.at(-1)?.seq ?? afterSeq
        rows = found.length
      }
    },
  }
}
