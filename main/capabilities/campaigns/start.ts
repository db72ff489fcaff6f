import type { CampaignMessage } from '../../contract/campaign-message.ts'
import { ApiError } from '../../contract/errors.ts'
import { pendingOf } from './counts.ts'
import type { CampaignsDeps } from './deps.ts'
import { unknownVariables } from './messages.ts'
import { notIn, type CampaignState, type ControlInput } from './state.ts'
import { TOO_LATE_MS } from './lateness.ts'
import { campaignById, lanesOf, toCampaign, type StoredCampaign } from './store.ts'
import type { JobKind } from '../../kernel/job.ts'
import type { Tx } from '../../kernel/db.ts'

/** Checks that a campaign is complete before it starts. @throws ApiError validation_error */
export function requireContent({
  messages,
  variables,
  recipients,
}: {
  readonly messages: readonly CampaignMessage[]
  readonly variables: readonly string[]
  readonly recipients: number
}): void {
  if (messages.length === 0)
    throw wrong('The campaign has no messages. Add at least one.').because('campaign_no_messages')
  if (recipients === 0)
    throw wrong('The campaign has no recipients. Add some, or import a list.').because('campaign_no_recipients')
  const [unknown] = unknownVariables(messages, variables)
  if (unknown === undefined) return
  const known = ['name', 'phone', ...variables].join(', ')
  throw wrong(
    `messages ${unknown.message} uses {{${unknown.name}}}, which the recipients do not have. Known are: ${known}.`,
  ).because('variable_unknown', { at: unknown.message, name: unknown.name })
}

const wrong = (message: string) => new ApiError('validation_error', message)

type Deps = Pick<CampaignsDeps, 'db' | 'clock'> & { readonly state: CampaignState }
type ControlDeps = Deps & Pick<CampaignsDeps, 'instances'>

/** Start, pause, resume and cancel. Repeating one has no effect. */
export function createControls({ db, clock, instances, state }: ControlDeps) {
  const act = (id: string, decide: (tx: Tx, campaign: StoredCampaign) => Promise<void>): Promise<StoredCampaign> =>
    db.commit(async (tx) => {
      const row = await tx.one(campaignById, { id })
      if (row === undefined) throw new ApiError('not_found', 'There is no campaign with this id.')
      await decide(tx, toCampaign(row))
      const after = await tx.one(campaignById, { id })
      return toCampaign(after ?? row)
    })

  async function start(tx: Tx, campaign: StoredCampaign): Promise<void> {
    const { status, loading, messages, variables, scheduledAtMs } = campaign
    if (status === 'running' || status === 'scheduled') return
    if (status === 'paused') return goOn(tx, campaign)
    if (status !== 'draft') throw notIn(campaign, 'started')
    if (loading > 0)
      throw new ApiError('invalid_state', 'Recipients are still being added. Start it when that is done.').because(
        'campaign_loading',
      )
    requireContent({ messages, variables, recipients: await pendingOf(tx, campaign.id) })
    if (scheduledAtMs !== null && scheduledAtMs > clock.now()) await state.schedule(tx, campaign, scheduledAtMs)
    else await state.begin(tx, campaign)
  }

  /** Resuming a campaign also makes the engines try held numbers again. */
  async function goOn(tx: Tx, campaign: StoredCampaign): Promise<void> {
    for (const { instanceId } of await tx.all(lanesOf, { campaignId: campaign.id })) {
      const instance = await instances.find(tx, campaign.accountId, instanceId)
      if (instance !== undefined) await instances.engineFor(instance).endHold?.(tx, instanceId)
    }
    await state.begin(tx, campaign)
  }

  return {
    start: (id: string) => act(id, start),
    pause: (id: string) =>
      act(id, async (tx, campaign) => {
        const { status, pauseReason } = campaign
        if (status !== 'running' && status !== 'paused') throw notIn(campaign, 'paused')
        if (pauseReason !== 'user') await state.pause(tx, campaign, 'user')
      }),
    resume: (id: string) =>
      act(id, async (tx, campaign) => {
        if (campaign.status === 'running') return
        if (campaign.status !== 'paused') throw notIn(campaign, 'resumed')
        await goOn(tx, campaign)
      }),
    cancel: (id: string) =>
      act(id, async (tx, campaign) => {
        if (campaign.status === 'canceled') return
        if (campaign.status === 'completed' || campaign.status === 'failed') throw notIn(campaign, 'canceled')
        await state.cancel(tx, campaign)
      }),
  }
}

/** Changes a campaign at a set time. */
export function controlJob({ clock, state }: Deps): JobKind<ControlInput, undefined> {
  return {
    name: 'campaigns.control',
    perLane: 1,
    concurrency: 4,
    deadlineMs: 60_000,
    retryDelaysMs: [1_000, 10_000, 60_000],
    keepsTrying: true,
    act: () => Promise.resolve(undefined),
    async record(tx, { subjectId, input }) {
      const campaign = await state.load(tx, subjectId)
      if (campaign === undefined) return { kind: 'done' }
      if (input.act === 'start') {
        // Otherwise it was rescheduled or started already.
        if (campaign.status !== 'scheduled' || campaign.scheduledAtMs !== input.atMs) return { kind: 'done' }
        if (clock.now() - input.atMs > TOO_LATE_MS) await state.pause(tx, campaign, 'app_offline')
        else await state.begin(tx, campaign)
      } else if (campaign.pauseReason === 'no_instance' && campaign.unusableSinceMs === input.sinceMs) {
        await state.giveUp(tx, campaign)
      }
      return { kind: 'done' }
    },
  }
}
