import type { EngineSignal } from '../../engines/engine.ts'
import type { Tx } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import type { CampaignsDeps } from './deps.ts'
import { isUnderWay, type CampaignState } from './state.ts'
import { campaignsOfInstance, type StoredCampaign } from './store.ts'
import { usesTemplate, type TemplateCategories } from './template-categories.ts'

interface Deps extends Pick<CampaignsDeps, 'db' | 'clock'> {
  readonly state: CampaignState
  readonly templates: Pick<TemplateCategories, 'forget'>
}

type TemplateSignal = Extract<EngineSignal, { kind: 'template' }>

/** Meta's first pause of a template. If Meta names no end, the template is tried again after this time. */
const TRIED_AGAIN_MS = 3 * 3_600_000

export type TemplateHolds = ReturnType<typeof createTemplateHolds>

/** Campaigns that wait because Meta does not accept their template. */
export function createTemplateHolds({ db, clock, state, templates }: Deps) {
  const isHeld = ({ pauseReason }: StoredCampaign) => pauseReason === 'template'
  /** Meta disabled or deleted its template, so a person must act. */
  const needsPerson = (campaign: StoredCampaign) => isHeld(campaign) && campaign.resumeAtMs === null

  async function hold(tx: Tx, campaign: StoredCampaign, untilMs: number | null): Promise<void> {
    if (!isUnderWay(campaign) || (isHeld(campaign) && campaign.resumeAtMs === untilMs)) return
    await state.pause(tx, campaign, 'template', untilMs)
  }

  async function apply(tx: Tx, campaign: StoredCampaign, { use, untilMs }: TemplateSignal): Promise<void> {
    if (use === 'disabled') return hold(tx, campaign, null)
    if (use === 'usable' && isHeld(campaign) && !needsPerson(campaign)) return state.begin(tx, campaign)
    if (use !== 'paused') return
    // A pause without an end changes nothing for a campaign that is waiting already.
    if (untilMs === null && isHeld(campaign)) return
    await hold(tx, campaign, untilMs ?? clock.now() + TRIED_AGAIN_MS)
  }

  return {
    /** The network refused a message of the campaign. @param pausedUntilMs null: no end given. */
    async refused(
      tx: Tx,
      campaignId: string,
      { isPaused, pausedUntilMs }: { readonly isPaused: boolean; readonly pausedUntilMs: number | null },
    ): Promise<void> {
      const campaign = await state.load(tx, campaignId)
      if (campaign === undefined || isHeld(campaign)) return
      await hold(tx, campaign, isPaused ? (pausedUntilMs ?? clock.now() + TRIED_AGAIN_MS) : null)
    },

    /** The network reports a change of a template. */
    async onTemplate(instanceId: InstanceId, signal: TemplateSignal): Promise<void> {
      templates.forget(instanceId)
      const { template, use } = signal
      if (template === null || use === null) return
      await db.commit(async (tx) => {
        for (const { campaignId } of await tx.all(campaignsOfInstance, { instanceId })) {
          const campaign = await state.load(tx, campaignId)
          if (campaign !== undefined && usesTemplate(campaign.messages, template)) await apply(tx, campaign, signal)
        }
      })
    },
  }
}
