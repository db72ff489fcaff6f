import type { Tx } from '../../kernel/db.ts'
import type { CampaignsDeps } from './deps.ts'
import { isUnderWay, type CampaignState } from './state.ts'
import { hastenLane, lanesOf, openCampaigns, toHead, type CampaignHead, type Lane } from './store.ts'

interface LatenessDeps extends Pick<CampaignsDeps, 'db' | 'clock' | 'wasOffMs'> {
  readonly state: CampaignState
}

/** A later message may have lost its purpose, so a person decides. */
export const TOO_LATE_MS = 12 * 3_600_000
/** A pause dated this far in the future was set while the clock was ahead. */
const AHEAD_MS = 5_000
const PAGE = 100

/** Pauses campaigns that should have continued long ago, and continues those that only seemed late. */
export function createLateness({ db, clock, wasOffMs, state }: LatenessDeps) {
  let movedMs = clock.movedMs()

  async function forEach(status: 'running' | 'paused', act: (campaign: CampaignHead) => Promise<void>): Promise<void> {
    for (let afterSeq = 0, rows = PAGE; rows === PAGE;) {
      const found = await db.read(openCampaigns, { status, afterSeq, rows: PAGE })
      for (const row of found) await act(toHead(row))
      afterSeq = found.at(-1)?.seq ?? afterSeq
      rows = found.length
    }
  }

  async function pauseIfOverdue(campaign: CampaignHead): Promise<void> {
    if (!isUnderWay(campaign) || campaign.pauseReason === 'no_instance') return
    const lanes = await db.read(lanesOf, { campaignId: campaign.id })
    const isLate = clock.now() - dueAtMs(campaign, lanes) > TOO_LATE_MS
    if (isLate) await db.commit((tx) => state.pause(tx, campaign, 'app_offline'))
  }

  const seemedLate = ({ pauseReason, updatedAtMs }: CampaignHead): boolean =>
    pauseReason === 'app_offline' && updatedAtMs > clock.now() + AHEAD_MS

  async function judgeAgain(tx: Tx, id: string): Promise<void> {
    const campaign = await state.load(tx, id)
    if (campaign === undefined || !seemedLate(campaign)) return
    const { scheduledAtMs, startedAtMs } = campaign
    const nextMs = (await tx.all(lanesOf, { campaignId: id })).map(({ nextAtMs }) => nextAtMs ?? 0)
    const dueMs = startedAtMs === null ? (scheduledAtMs ?? 0) : Math.max(startedAtMs, Math.min(...nextMs))
    if (startedAtMs === null && dueMs > clock.now()) return state.schedule(tx, campaign, dueMs)
    if (clock.now() - dueMs <= TOO_LATE_MS) await state.begin(tx, campaign)
  }

  async function continueEarly(): Promise<void> {
    await forEach('paused', async (campaign) => {
      if (seemedLate(campaign)) await db.commit((tx) => judgeAgain(tx, campaign.id))
    })
  }

  /**
   * Waits keep their length when the clock is set, but the day of a daily limit ends by the new clock. A number that
   * waits longer than its delay explains waits for a limit, and checks it again.
   */
  async function judgeLimitsAgain(campaign: CampaignHead): Promise<void> {
    const { id, config } = campaign
    const longestPaceMs = Math.max(config.maxDelay, config.pauseAfter === null ? 0 : (config.pauseFor[1] ?? 0)) * 1_000
    await db.commit(async (tx) => {
      const now = clock.now()
      for (const { instanceId, nextAtMs } of await tx.all(lanesOf, { campaignId: id })) {
        const isLimited = nextAtMs !== null && nextAtMs > now + longestPaceMs
        if (isLimited) await tx.run(hastenLane, { campaignId: id, instanceId, untilMs: now })
      }
      await state.lookAgain(tx, campaign)
    })
  }

  /** The sending hours begin and end by the new clock. */
  async function judgeHoursAgain(campaign: CampaignHead): Promise<void> {
    if (campaign.pauseReason === 'outside_window') await db.commit((tx) => state.lookAgain(tx, campaign))
  }

  return {
    /** Runs at start. */
    async recover(): Promise<void> {
      await continueEarly()
      // While the service runs, only a change of the clock can make something late.
      if (wasOffMs() > TOO_LATE_MS)
        for (const status of ['running', 'paused'] as const) await forEach(status, pauseIfOverdue)
    },
    /** Whether the clock was set since `look` last ended. */
    isDue: (): boolean => clock.movedMs() !== movedMs,
    async look(): Promise<void> {
      const now = clock.movedMs()
      if (now === movedMs) return
      await forEach('paused', judgeHoursAgain)
      await continueEarly()
      await forEach('running', judgeLimitsAgain)
      movedMs = now
    },
  }
}

/** When its numbers should have continued. */
function dueAtMs({ startedAtMs, resumeAtMs, updatedAtMs }: CampaignHead, lanes: readonly Lane[]): number {
  const due = lanes.filter(({ hasJob }) => hasJob === 1).map(({ nextAtMs }) => nextAtMs ?? startedAtMs ?? 0)
  return Math.max(due.length === 0 ? 0 : Math.min(...due), resumeAtMs ?? 0, updatedAtMs)
}
