import type { CampaignStatus, PauseReason } from '../../contract/campaign.ts'
import { ApiError } from '../../contract/errors.ts'
import { seededFractions } from '../../contract/campaign-text.ts'
import type { Tx } from '../../kernel/db.ts'
import { appointmentAt, dueAt, dueIn } from '../../kernel/due.ts'
import type { JobQueue } from '../../kernel/jobs.ts'
import type { BudgetRefusal } from '../costs/index.ts'
import { pendingOf } from './counts.ts'
import type { CampaignsDeps } from './deps.ts'
import { PAUSED_BY, type CampaignHold, type NumberStates } from './links.ts'
import { releaseHeld, releaseWaiting } from './recipient-store.ts'
import { hoursAt } from '../../contract/opening-hours.ts'
import {
  addToAssigned,
  campaignById,
  lanesOf,
  saveStreak,
  setHasJob,
  setState,
  toCampaign,
  type Lane,
  type CampaignHead,
  type StoredCampaign,
} from './store.ts'
import { keepUploads } from './uploads.ts'
import { LOOK_AGAIN_MS } from './waits.ts'

/** Allowed changes of status. */
export const NEXT = {
  draft: ['scheduled', 'running', 'paused', 'completed', 'canceled'],
  scheduled: ['draft', 'running', 'paused', 'completed', 'canceled'],
  running: ['paused', 'completed', 'canceled'],
  // Scheduled again: it seemed late only because the clock was ahead.
  paused: ['running', 'scheduled', 'completed', 'canceled', 'failed'],
  // Resumes if Meta accepted messages and did not deliver them.
  completed: ['running', 'paused'],
  canceled: [],
  failed: [],
} as const satisfies Record<CampaignStatus, readonly CampaignStatus[]>

/** Pauses that end automatically. */
const AUTOMATIC: readonly PauseReason[] = [
  'outside_window',
  'no_instance',
  'restricted',
  'payment',
  'number',
  'quality',
  'messaging_limit',
  'utility_templates',
]

const HOLD_PAUSES: ReadonlySet<PauseReason> = new Set(Object.values(PAUSED_BY))

/** Whether its numbers may send unless something else stops them. */
export function isUnderWay({ status, pauseReason, resumeAtMs }: CampaignHead): boolean {
  if (status !== 'paused') return status === 'running'
  // Meta ends the pause of a template automatically. A deleted template does not return.
  if (pauseReason === 'template') return resumeAtMs !== null
  return pauseReason !== null && AUTOMATIC.includes(pauseReason)
}

/** The table stores two of the reasons in separate columns. */
function storedReasonOf(pauseReason: PauseReason | null) {
  const heldBy = pauseReason === 'messaging_limit' ? pauseReason : null
  const utilityHold = pauseReason === 'utility_templates' ? 1 : 0
  const isOther = heldBy !== null || utilityHold === 1
  return { pauseReason: isOther ? 'restricted' : pauseReason, heldBy, utilityHold } as const
}

/** No number of the campaign can send because the network holds them. */
const isPausedByHold = ({ pauseReason }: CampaignHead): boolean => pauseReason !== null && HOLD_PAUSES.has(pauseReason)

/** A campaign fails this long after its last number is gone. */
const UNUSABLE_MS = 24 * 3_600_000
const RELEASED_AT_ONCE = 500

/** A change of a campaign at a set time. */
export type ControlInput =
  | { readonly act: 'start'; readonly atMs: number }
  | { readonly act: 'give_up'; readonly sinceMs: number }

export interface StateDeps extends Pick<CampaignsDeps, 'clock' | 'live' | 'messages'> {
  readonly numberState: NumberStates
  readonly lanes: () => Pick<JobQueue<object>, 'add' | 'cancel' | 'hasten'>
  readonly control: () => Pick<JobQueue<ControlInput>, 'add'>
}

export type CampaignState = ReturnType<typeof createState>

/**
 * Delay of this number's start after the first one. Numbers that all start in the same second are easily detected as
 * automated.
 */
export function spreadMs({ id, config }: CampaignHead, lanes: readonly Lane[], { instanceId }: Lane): number {
  if (lanes[0]?.instanceId === instanceId) return 0
  return Math.round(seededFractions(`${id}:${instanceId}`)() * config.maxDelay * 1_000)
}

/** The states of a campaign and its transitions, each in the caller's commit. */
export function createState({ clock, live, messages, numberState, lanes, control }: StateDeps) {
  type Change = Partial<
    Pick<
      CampaignHead,
      | 'status'
      | 'pauseReason'
      | 'resumeAtMs'
      | 'unusableSinceMs'
      | 'scheduledAtMs'
      | 'startedAtMs'
      | 'finishedAtMs'
      | 'budgetHold'
      | 'budgetNeeds'
    >
  >

  async function change(tx: Tx, campaign: CampaignHead, patch: Change): Promise<void> {
    const next = { ...campaign, ...patch }
    const isAllowed =
      next.status === campaign.status || (NEXT[campaign.status] as readonly string[]).includes(next.status)
    if (!isAllowed) throw new Error(`A campaign cannot become ${next.status} after ${campaign.status}.`)
    const { id, status, pauseReason, resumeAtMs, unusableSinceMs, scheduledAtMs, startedAtMs, finishedAtMs } = next
    const times = { resumeAtMs, unusableSinceMs, scheduledAtMs, startedAtMs, finishedAtMs }
    const isOverBudget = pauseReason === 'budget'
    const budgetHold = isOverBudget ? next.budgetHold : null
    const budgetNeeds = isOverBudget ? next.budgetNeeds : null
    const reason = storedReasonOf(pauseReason)
    await tx.run(setState, { id, status, ...reason, budgetHold, budgetNeeds, ...times, now: clock.now() })
    notify(tx, campaign)
  }

  const notify = (tx: Tx, { accountId, id }: Pick<StoredCampaign, 'accountId' | 'id'>): void =>
    tx.afterCommit(() => live.publish(accountId, { topic: 'campaigns', id }))

  async function load(tx: Pick<Tx, 'one'>, id: string): Promise<StoredCampaign | undefined> {
    const row = await tx.one(campaignById, { id })
    return row && toCampaign(row)
  }

  const pause = (tx: Tx, campaign: CampaignHead, pauseReason: PauseReason, resumeAtMs: number | null = null) =>
    change(tx, campaign, { status: 'paused', pauseReason, resumeAtMs, unusableSinceMs: null })

  const run = (tx: Tx, campaign: CampaignHead) =>
    change(tx, campaign, { status: 'running', pauseReason: null, resumeAtMs: null, unusableSinceMs: null })

  const complete = (tx: Tx, campaign: CampaignHead) =>
    change(tx, campaign, {
      ...{ status: 'completed', pauseReason: null, resumeAtMs: null, unusableSinceMs: null },
      finishedAtMs: clock.now(),
    })

  /** Pauses until a number connects, because none can send. */
  async function waitForNumber(tx: Tx, campaign: CampaignHead): Promise<void> {
    if (campaign.pauseReason === 'no_instance') return
    const sinceMs = clock.now()
    await change(tx, campaign, {
      ...{ status: 'paused', pauseReason: 'no_instance', resumeAtMs: null, unusableSinceMs: sinceMs },
    })
    const { id, accountId } = campaign
    const input = { act: 'give_up', sinceMs } as const
    await control().add(tx, { accountId, subjectId: id, runAt: dueIn(clock, UNUSABLE_MS), input })
  }

  /** Makes sure that the number gets a turn. A later due time is kept. */
  async function wake(tx: Tx, campaign: CampaignHead, lane: Lane, atMs: number): Promise<void> {
    const { id: campaignId, accountId } = campaign
    const { instanceId } = lane
    if ((await tx.run(setHasJob, { campaignId, instanceId, hasJob: 1 })) === 0) return
    const runAt = dueAt(clock, Math.max(atMs, lane.nextAtMs ?? 0))
    await lanes().add(tx, { accountId, subjectId: campaignId, lane: instanceId, runAt, input: {} })
  }

  /** Gives the numbers a turn now, one after another, instead of when they would have had one. */
  async function lookAgain(tx: Tx, campaign: CampaignHead): Promise<void> {
    const waiting = (await tx.all(lanesOf, { campaignId: campaign.id })).filter(({ hasJob }) => hasJob === 1)
    for (const lane of waiting) {
      const runAt = dueIn(clock, spreadMs(campaign, waiting, lane))
      await lanes().hasten(tx, { subjectId: campaign.id, lane: lane.instanceId }, runAt)
    }
  }

  /** Starts or continues the campaign, or pauses it if there is a reason to. */
  async function begin(tx: Tx, given: StoredCampaign): Promise<void> {
    const now = clock.now()
    const campaign = { ...given, startedAtMs: given.startedAtMs ?? now }
    await tx.run(saveStreak, { campaignId: campaign.id, recent: '' })
    await keepUploads(messages.uploads, tx, campaign, now)
    if ((await pendingOf(tx, campaign.id)) === 0) return complete(tx, campaign)
    const usable = await usableLanes(tx, campaign)
    if (usable.length === 0) return waitForNumber(tx, campaign)
    const hours = hoursAt(campaign.config.window, now)
    const firstAtMs = hours.isOpen ? now : hours.changesAtMs
    if (hours.isOpen) await run(tx, campaign)
    else await pause(tx, campaign, 'outside_window', firstAtMs)
    for (const lane of usable) {
      const atMs = firstAtMs + spreadMs(campaign, usable, lane)
      await wake(tx, campaign, lane, hours.isOpen ? atMs : Math.min(atMs, now + LOOK_AGAIN_MS))
    }
  }

  /** Returns the recipients that were assigned to the number and not yet sent to. */
  async function giveBackWaiting(tx: Tx, { id }: CampaignHead, { instanceId }: Pick<Lane, 'instanceId'>) {
    const ref = { campaignId: id, instanceId }
    const released = await tx.run(releaseWaiting, ref)
    if (released > 0) await tx.run(addToAssigned, { ...ref, by: -released })
  }

  async function usableLanes(tx: Tx, { id, accountId }: CampaignHead): Promise<Lane[]> {
    const usable: Lane[] = []
    for (const lane of await tx.all(lanesOf, { campaignId: id })) {
      if (lane.removed === 1) continue
      if ((await numberState(tx, accountId, lane.instanceId)).link !== 'down') usable.push(lane)
    }
    return usable
  }

  return {
    load,
    notify,
    begin,
    run,
    pause,
    complete,
    wake,
    lookAgain,

    async schedule(tx: Tx, campaign: StoredCampaign, atMs: number): Promise<void> {
      await change(tx, campaign, { status: 'scheduled', pauseReason: null, scheduledAtMs: atMs })
      await keepUploads(messages.uploads, tx, campaign, atMs)
      const { id, accountId } = campaign
      const input = { act: 'start', atMs } as const
      await control().add(tx, { accountId, subjectId: id, runAt: appointmentAt(atMs), input })
    },

    unschedule: (tx: Tx, campaign: CampaignHead) => change(tx, campaign, { status: 'draft', scheduledAtMs: null }),

    async cancel(tx: Tx, campaign: CampaignHead): Promise<void> {
      await change(tx, campaign, {
        ...{ status: 'canceled', pauseReason: null, resumeAtMs: null, unusableSinceMs: null },
        finishedAtMs: clock.now(),
      })
      await lanes().cancel(tx, campaign.id)
    },

    giveUp: (tx: Tx, campaign: CampaignHead) =>
      change(tx, campaign, { status: 'failed', pauseReason: null, resumeAtMs: null, finishedAtMs: clock.now() }),

    /** Removes the number from the rotation; its unsent recipients go to the other numbers. */
    async leave(tx: Tx, campaign: CampaignHead, lane: Pick<Lane, 'instanceId'>): Promise<void> {
      await giveBackWaiting(tx, campaign, lane)
      const usable = (await usableLanes(tx, campaign)).filter(({ instanceId }) => instanceId !== lane.instanceId)
      if (usable.length === 0) return waitForNumber(tx, campaign)
      for (const other of usable) await wake(tx, campaign, other, clock.now())
    },

    /** Hands the number's recipients to the other numbers, and pauses the campaign if no other number can send. */
    async stepAside(
      tx: Tx,
      campaign: CampaignHead,
      lane: Lane,
      { reason, untilMs }: CampaignHold,
    ): Promise<{ readonly canOthers: boolean }> {
      await giveBackWaiting(tx, campaign, lane)
      // Checking all numbers again would cost hundreds of reads every few seconds and change nothing.
      if (isPausedByHold(campaign)) {
        const isLater = campaign.pauseReason === PAUSED_BY[reason] && campaign.resumeAtMs !== untilMs
        if (isLater && reason === 'utility_templates') await pause(tx, campaign, PAUSED_BY[reason], untilMs)
        return { canOthers: false }
      }
      const others = (await usableLanes(tx, campaign)).filter(({ instanceId }) => instanceId !== lane.instanceId)
      let canOthers = false
      for (const other of others) {
        const { hold, suspension } = await numberState(tx, campaign.accountId, other.instanceId)
        if (hold !== null || (reason === 'utility_templates' && suspension !== null)) continue
        canOthers = true
        await wake(tx, campaign, other, clock.now())
      }
      if (!canOthers) await pause(tx, campaign, PAUSED_BY[reason], untilMs)
      return { canOthers }
    },

    /**
     * The portfolio of this number has used its messaging limit. Its recipients move to the other numbers. The
     * campaign pauses when the portfolios of all its numbers have used theirs.
     * @param untilOf until when another number is limited as well; null: it is not, as far as is known.
     */
    async waitForLimit(
      tx: Tx,
      campaign: CampaignHead,
      lane: Lane,
      untilMs: number,
      untilOf: (instanceId: string) => number | null,
    ): Promise<void> {
      await giveBackWaiting(tx, campaign, lane)
      const others = (await usableLanes(tx, campaign)).filter(({ instanceId }) => instanceId !== lane.instanceId)
      let firstMs = untilMs
      for (const other of others) {
        const otherMs = untilOf(other.instanceId)
        if (otherMs !== null) firstMs = Math.min(firstMs, otherMs)
        else if ((await numberState(tx, campaign.accountId, other.instanceId)).hold === null)
          return wake(tx, campaign, other, clock.now())
      }
      if (campaign.pauseReason !== 'messaging_limit' || campaign.resumeAtMs !== firstMs)
        await pause(tx, campaign, 'messaging_limit', firstMs)
    },

    /**
     * A budget does not cover the next message: the numbers stop, and their recipients are assigned again when
     * budget-holds.ts continues the campaign.
     */
    async waitForBudget(tx: Tx, campaign: CampaignHead, { by, needsMicros }: BudgetRefusal): Promise<void> {
      for (const lane of await tx.all(lanesOf, { campaignId: campaign.id })) await giveBackWaiting(tx, campaign, lane)
      await change(tx, campaign, {
        ...{ status: 'paused', pauseReason: 'budget', resumeAtMs: null, unusableSinceMs: null },
        ...{ budgetHold: by, budgetNeeds: needsMicros },
      })
    },

    /** Adds the number to the rotation again. */
    async join(tx: Tx, campaign: StoredCampaign, lane: Lane): Promise<void> {
      await tx.run(releaseHeld, { campaignId: campaign.id, rows: RELEASED_AT_ONCE })
      if (campaign.pauseReason === 'no_instance') await begin(tx, campaign)
      else await wake(tx, campaign, lane, clock.now())
    },
  }
}

export const notIn = (campaign: CampaignHead, act: string): ApiError =>
  new ApiError('invalid_state', `This campaign is ${campaign.status}, so it cannot be ${act}.`).because(
    'campaign_state_changed',
  )
