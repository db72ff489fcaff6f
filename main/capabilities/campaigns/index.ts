import type { Principal } from '../../kernel/access.ts'
import { createAccess } from './access.ts'
import { createControls, controlJob } from './start.ts'
import { createCreate } from './create.ts'
import type { CampaignsDeps } from './deps.ts'
import { laneJob } from './lane.ts'
import { createLateness } from './lateness.ts'
import { createNumberStates } from './links.ts'
import { createListReader } from './lists.ts'
import { createLoading } from './loading.ts'
import { createMove } from './move.ts'
import { createNumberChecks } from './number-checks.ts'
import { createCountryRefusals } from './country-refusals.ts'
import { createOutcomes } from './outcomes.ts'
import { createPreview } from './preview.ts'
import { createReads } from './reads.ts'
import { readRecipientFile } from './recipients.ts'
import { createRecords } from './record.ts'
import { createReports } from './report.ts'
import { createRecovery } from './recovery.ts'
import { rekeyRecipients } from './rekey.ts'
import { createResolver } from './resolve.ts'
import { createState, type ControlInput } from './state.ts'
import { setHasJob } from './store.ts'
import { createTestSend } from './test-send.ts'
import { createTurn } from './turn.ts'
import { createUpdate } from './update.ts'
import { dueIn } from '../../kernel/due.ts'
import type { JobQueue } from '../../kernel/jobs.ts'
import { pendingOf } from './counts.ts'
import { ApiError } from '../../contract/errors.ts'
import type { FileBody } from '../../contract/operation.ts'

import { billedNumberOf } from './billed-numbers.ts'
import { createBudgetHolds } from './budget-holds.ts'
import { createTemplateHolds } from './template-holds.ts'
import { createTemplateCategories } from './template-categories.ts'

export type { CampaignsDeps } from './deps.ts'

export type Campaigns = ReturnType<typeof createCampaigns>

const RETRY_LANE_MS = 300_000

export function createCampaigns(deps: CampaignsDeps) {
  const { db, clock, jobs, ledger, instances, optOuts, contacts } = deps
  const numberState = createNumberStates(deps)
  const queues: { lanes?: JobQueue<object>; control?: JobQueue<ControlInput> } = {}
  const state = createState({
    ...deps,
    numberState,
    lanes: () => required(queues.lanes),
    control: () => required(queues.control),
  })
  const { costs } = deps
  const templates = createTemplateCategories({ clock })
  const budgetHolds = createBudgetHolds({ ...deps, state })
  const templateHolds = createTemplateHolds({ db, clock, state, templates })
  const countries = createCountryRefusals()
  const outcomes = createOutcomes({
    ...{ clock, contacts, costs, countries, state, waitForTemplate: templateHolds.refused },
  })
  costs.budgets.onChange(budgetHolds.accountChanged)
  const resolve = createResolver({ ...deps, outcomes })
  const checks = createNumberChecks(deps)
  const sends = new Set<string>()
  queues.control = jobs.define(controlJob({ db, clock, state }))
  queues.lanes = jobs.define(
    laneJob({
      ...deps,
      ...{ outcomes, checks, resolve, sends },
      takeTurn: createTurn({ ...deps, countries, numberState, state, templates }),
      async readPrices({ accountId, messages }, instance) {
        const number = billedNumberOf(instances, accountId, instance)
        if (number !== null) await templates.read(number, messages)
        await costs.budgets.prepare(accountId)
      },
      finish: (id) =>
        db.commit(async (tx) => {
          const campaign = await state.load(tx, id)
          if (campaign?.status === 'running' && (await pendingOf(tx, id)) === 0) await state.complete(tx, campaign)
        }),
      waitForTemplate: templateHolds.refused,
      async retry(tx, campaignId, instanceId) {
        const campaign = await state.load(tx, campaignId)
        if (campaign === undefined) return
        await tx.run(setHasJob, { campaignId, instanceId, hasJob: 1 })
        const { accountId } = campaign
        const runAt = dueIn(clock, RETRY_LANE_MS)
        await required(queues.lanes).add(tx, { accountId, subjectId: campaignId, lane: instanceId, runAt, input: {} })
      },
    }),
  )
  outcomes.follow(ledger)
  instances.subscribe(async (tx, change) => {
    if (change.kind === 'deleted' || change.kind === 'transferred') await outcomes.instanceDeleted(tx, change.id)
  })
  optOuts.onOptOut(outcomes.optedOut)

  const access = createAccess(deps)
  const lists = createListReader(deps)
  const loading = createLoading(deps)
  const records = createRecords({ ...deps, numberState })
  const updates = createUpdate({ ...deps, access, lists, loading, state, budgetHolds })
  const controls = createControls({ db, clock, instances, state })

  const lateness = createLateness({ ...deps, state })
  const recovery = createRecovery({ ...deps, state, loading, resolve, sends, lateness, budgetHolds })

  return {
    create: createCreate({ ...deps, access, lists, loading, state }),
    ...createReads({ ...deps, records }),
    get: access.get,
    full: records.full,
    updates,
    controls,
    reports: createReports({ ...deps, records }),
    preview: createPreview({ ...deps, access, lists, numberState, templates }),
    test: createTestSend(deps),

    /** @returns how many rows of the CSV file were accepted, and which were not. */
    async importFile(
      caller: Principal,
      id: string,
      file: Pick<FileBody, 'stream' | 'ended'>,
      { country, replace = false }: { country?: string; replace?: boolean },
    ) {
      const found = await access.get(caller, id)
      const { status } = found.campaign
      if (status !== 'draft' && status !== 'scheduled')
        throw new ApiError(
          'invalid_state',
          `This campaign is ${status}. Recipients can be added to a draft only.`,
        ).because('campaign_not_draft')
      const source = await readRecipientFile(file, {
        country: country ?? (await optOuts.country(caller.accountId)),
      })
      const tally = await updates.fill(found, source, replace)
      return { campaign_id: id, status, ...tally }
    },

    async recover(): Promise<void> {
      await rekeyRecipients(deps.db)
      await recovery.recover()
      await lateness.recover()
    },
    onTemplate: templateHolds.onTemplate,
    movePerson: createMove({ notify: state.notify }),
    start: recovery.start,
    stop: recovery.stop,
    retention: checks.retention,
  }
}

function required<T>(queue: T | undefined): T {
  if (queue === undefined) throw new Error('The jobs of campaigns are not defined yet.')
  return queue
}
