import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Principal } from '../../kernel/access.ts'
import type { Tx } from '../../kernel/db.ts'
import { keyedRequest, type Created, type KeyedRequest } from '../../kernel/keyed-request.ts'
import type { Access } from './access.ts'
import { completeConfig } from './config.ts'
import type { CreateCampaignBody } from './contract/lifecycle.ts'
import type { CreateReply } from './contract/parts.ts'
import type { CampaignsDeps } from './deps.ts'
import { mergeTallies, type Loading, type Target } from './loading.ts'
import { requireMessages } from './messages.ts'
import { portionsOf, requireSomeUsable } from './recipients.ts'
import type { AcceptedRecipient, RecipientList, Tally } from './recipients.ts'
import { requireContent } from './start.ts'
import type { CampaignState } from './state.ts'
import { requireUploads } from './uploads.ts'
import { insertCampaign, insertLane, setLoading, statusOf } from './store.ts'
import type { ListReader } from './lists.ts'

export interface CreateCall {
  readonly caller: Principal
  readonly body: CreateCampaignBody
  readonly rawBody: unknown
  readonly idempotencyKey: string | null
}

const DAY_MS = 24 * 3_600_000

/** @throws ApiError validation_error for a time that has passed, or is too far ahead */
export function readTime(scheduledAt: string, now: number): number {
  const atMs = Date.parse(scheduledAt)
  if (atMs <= now)
    throw new ApiError('validation_error', 'scheduled_at has passed. Choose a time in the future.').because(
      'field_time_passed',
      { field: 'scheduled_at' },
    )
  if (atMs > now + LIMITS.campaignDaysAhead * DAY_MS)
    throw new ApiError('validation_error', `scheduled_at is more than ${LIMITS.campaignDaysAhead} days ahead.`).because(
      'field_too_far_ahead',
      { field: 'scheduled_at', n: LIMITS.campaignDaysAhead },
    )
  return atMs
}

interface CreateDeps extends Pick<CampaignsDeps, 'db' | 'clock' | 'ids' | 'idempotency' | 'messages' | 'config'> {
  readonly access: Access
  readonly lists: ListReader
  readonly loading: Loading
  readonly state: CampaignState
}

/**
 * Creates a campaign. A short list is stored in the commit that creates it; a long one in portions, while the
 * campaign is hidden. A refused request leaves nothing behind.
 */
export function createCreate(deps: CreateDeps) {
  const { db, clock, ids, access, lists, loading, state } = deps

  return async function create({ caller, body, rawBody, idempotencyKey: key }: CreateCall): Promise<Created> {
    const { accountId } = caller
    const keyed = keyedRequest(deps, { operation: 'POST campaigns', scopeId: accountId, key, rawBody })
    const earlier = await keyed.earlier()
    if (earlier !== undefined) return { bytes: earlier, replayed: true }
    const draft = await read(caller, body)
    const id = ids.tagged('cmp')
    const target = { id, accountId, instanceIds: draft.instanceIds }
    const [first = [], ...rest] = [...portionsOf(draft.list.accepted)]
    const isLong = rest.length > 0

    const begun = await db.commit(async (tx) => {
      const made = await keyed.claim(tx, id)
      if (made !== undefined) return { bytes: made, replayed: true }
      await insert(tx, id, caller, body, draft, key, isLong)
      if (isLong) loading.begin(tx, id)
      const tally = await loading.addPortion(tx, target, first)
      return isLong ? { tally } : conclude(tx, target, draft, mergeTallies([draft.list.tally, tally]), keyed)
    })
    if ('bytes' in begun) return begun
    return finish(target, draft, begun.tally, rest, keyed)
  }

  interface Read {
    readonly list: RecipientList
    readonly instanceIds: readonly string[]
    readonly network: string
    readonly config: object
    readonly scheduledAtMs: number | null
    readonly starts: boolean
  }

  /** Finds all errors before anything is stored. */
  async function read(caller: Principal, body: CreateCampaignBody): Promise<Read> {
    const { instance_ids: instanceIds, messages = [], config: input = {}, scheduled_at: scheduledAt } = body
    const numbers = await access.numbers(caller, instanceIds)
    const config = completeConfig(input, numbers, deps.config.safetyTimezone)
    requireMessages(messages, numbers.engines)
    await requireUploads(deps.messages.uploads, caller.accountId, messages)
    const scheduledAtMs = scheduledAt === undefined ? null : readTime(scheduledAt, clock.now())
    const list = await lists.read(caller.accountId, body)
    requireSomeUsable(list)
    const starts = body.start ?? scheduledAtMs !== null
    if (starts) requireContent({ messages, variables: list.variables, recipients: countOf(list) })
    return { list, instanceIds, network: numbers.network, config, scheduledAtMs, starts }
  }

  async function insert(
    tx: Tx,
    id: string,
    { accountId }: Principal,
    body: CreateCampaignBody,
    draft: Read,
    idempotencyKey: string | null,
    isLong: boolean,
  ): Promise<void> {
    await tx.run(insertCampaign, {
      ...{ seq: await tx.next('campaigns'), id, accountId, name: body.name, network: draft.network },
      ...{ messages: JSON.stringify(body.messages ?? []), variables: JSON.stringify(draft.list.variables) },
      ...{ config: JSON.stringify(draft.config), configInput: JSON.stringify(body.config ?? {}) },
      ...{ loading: isLong ? 2 : 0, idempotencyKey, now: clock.now(), scheduledAtMs: draft.scheduledAtMs },
    })
    for (const [position, instanceId] of draft.instanceIds.entries())
      await tx.run(insertLane, { campaignId: id, position, instanceId })
  }

  async function finish(
    target: Target,
    draft: Read,
    first: Tally,
    rest: readonly (readonly AcceptedRecipient[])[],
    keyed: KeyedRequest,
  ): Promise<Created> {
    const { id } = target
    try {
      const tallies = [draft.list.tally, first]
      for (const rows of rest) tallies.push(await db.commit((tx) => loading.addPortion(tx, target, rows)))
      return await db.commit((tx) => conclude(tx, target, draft, mergeTallies(tallies), keyed))
    } catch (error) {
      await loading.removeAll(id)
      await db.commit(async (tx) => {
        await loading.removeCampaign(tx, id)
        await keyed.release(tx, id)
      })
      throw error
    } finally {
      loading.end(id)
    }
  }

  async function conclude(
    tx: Tx,
    { id, accountId }: Target,
    { starts, scheduledAtMs }: Read,
    tally: Tally,
    keyed: KeyedRequest,
  ): Promise<Created> {
    await tx.run(setLoading, { id, from: 2, to: 0 })
    if (starts) await start(tx, id, scheduledAtMs)
    state.notify(tx, { id, accountId })
    const created = await tx.one(statusOf, { id })
    if (created === undefined) throw new Error('The campaign just created is gone.')
    const reply: CreateReply = { campaign_id: id, status: created.status, ...tally }
    const bytes = Buffer.from(JSON.stringify(reply))
    await keyed.settle(tx, id, bytes)
    return { bytes, replayed: false }
  }

  async function start(tx: Tx, id: string, scheduledAtMs: number | null): Promise<void> {
    const campaign = await state.load(tx, id)
    if (campaign === undefined) throw new Error('The campaign just created is gone.')
    await (scheduledAtMs === null ? state.begin(tx, campaign) : state.schedule(tx, campaign, scheduledAtMs))
  }
}

const countOf = ({ accepted, tally }: RecipientList): number =>
  accepted.length + tally.recipients.opted_out + tally.recipients.duplicates
