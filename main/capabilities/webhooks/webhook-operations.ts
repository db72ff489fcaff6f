import { ApiError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { Ids, Random } from '../../kernel/ids.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import type { Seal } from '../../kernel/seal.ts'
import type { CreateBody, UpdateBody, Webhook, WebhookWithSecret } from './contract/endpoints.ts'
import type { createHeldDeliveries } from './held-deliveries.ts'
import { sealName } from './keyring.ts'
import { noSuchWebhook } from './rotation.ts'
import { newSecret } from './secret.ts'
import {
  changeWebhook,
  countWebhooks,
  insertWebhook,
  markDeleted,
  toWebhook,
  webhookById,
  webhooksOfAccount,
  type WebhookRow,
} from './store.ts'
import type { RequireAccess } from '../handler.ts'

interface WebhookOperationsDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly random: Random
  readonly ids: Pick<Ids, 'webhook'>
  readonly outbound: Pick<Outbound, 'checkUrl'>
  readonly seal: Seal
  readonly heldDeliveries: ReturnType<typeof createHeldDeliveries>
  /** Called after the commit to update the memory. */
  readonly onChanged: (before: WebhookRow, after: WebhookRow) => void
  readonly onDeleted: (seq: number) => void
}

/** What owners do with their webhooks. */
export function createWebhookOperations(deps: WebhookOperationsDeps) {
  const { db, clock, random, ids, outbound, seal, heldDeliveries } = deps
  /** @returns the URL as it will be called. */
  const checked = async (url: string) => (await outbound.checkUrl(url, { schemes: ['https'], field: 'url' })).href

  async function create(accountId: string, body: CreateBody, requireAccess: RequireAccess): Promise<WebhookWithSecret> {
    requireSoleWildcard(body.events)
    const url = await checked(body.url)
    const id = ids.webhook()
    const secret = newSecret(random)
    const secretEnc = seal.seal(secret, sealName(id))
    const row = await db.commit(async (tx) => {
      // Checking the address takes a while.
      await requireAccess(tx)
      const held = await tx.one(countWebhooks, { accountId })
      if ((held?.count ?? 0) >= LIMITS.webhooksPerAccount) throw limitReached()
      return tx.one(insertWebhook, {
        id,
        accountId,
        url,
        events: JSON.stringify(body.events),
        description: body.description ?? null,
        maxInFlight: body.max_in_flight ?? LIMITS.maxInFlightDefault,
        state: (body.active ?? true) ? 'active' : 'paused',
        secretEnc,
        secretLast4: secret.last4,
        now: clock.now(),
      })
    })
    if (!row) throw new Error('INSERT … RETURNING gave no row')
    return { ...toWebhook(row), secret: secret.open() }
  }

  async function list(accountId: string): Promise<{ data: Webhook[]; count: number }> {
    const data = (await db.read(webhooksOfAccount, { accountId })).map(toWebhook)
    return { data, count: data.length }
  }

  async function find(accountId: string, id: string): Promise<WebhookRow> {
    const row = await db.readOne(webhookById, { id, accountId })
    if (!row) throw noSuchWebhook()
    return row
  }

  async function update(
    accountId: string,
    id: string,
    change: UpdateBody,
    requireAccess: RequireAccess,
  ): Promise<Webhook> {
    const known = await find(accountId, id)
    if (Object.keys(change).length === 0) return toWebhook(known)
    if (change.events) requireSoleWildcard(change.events)
    const url = change.url === undefined ? known.url : await checked(change.url)
    if (change.active === true && known.state !== 'active') await heldDeliveries.prepareRelease(known)
    const after = await db.commit(async (tx) => {
      await requireAccess(tx)
      const before = await tx.one(webhookById, { id, accountId })
      if (!before) throw noSuchWebhook()
      const next = applyChange(before, change.url === undefined ? change : { ...change, url }, clock.now())
      if (before.state !== 'active' && next.state === 'active') await heldDeliveries.release(tx, before)
      const row = await tx.one(changeWebhook, { ...next, now: clock.now() })
      if (!row) throw noSuchWebhook()
      tx.afterCommit(() => deps.onChanged(before, row))
      return row
    })
    return toWebhook(after)
  }

  async function remove(accountId: string, id: string): Promise<void> {
    const seq = await db.commit(async (tx) => {
      const row = await tx.one(markDeleted, { id, accountId, nothing: new Uint8Array(), now: clock.now() })
      if (!row) throw noSuchWebhook()
      await heldDeliveries.removeFirst(tx, row.seq)
      tx.afterCommit(() => deps.onDeleted(row.seq))
      return row.seq
    })
    await heldDeliveries.removeRest(seq)
  }

  return {
    create,
    list,
    get: async (accountId: string, id: string) => toWebhook(await find(accountId, id)),
    update,
    remove,
  }
}

/** The row with the change made. Pausing a deactivated webhook changes nothing: it is not active already. */
function applyChange(before: WebhookRow, change: UpdateBody, nowMs: number) {
  const row = {
    seq: before.seq,
    url: change.url ?? before.url,
    events: change.events ? JSON.stringify(change.events) : before.events,
    description: change.description === undefined ? before.description : change.description,
    maxInFlight: change.max_in_flight ?? before.maxInFlight,
    state: before.state,
    stateSinceMs: before.stateSinceMs,
    disabledReason: before.disabledReason,
    consecutiveExhausted: before.consecutiveExhausted,
    activation: before.activation,
  }
  if (change.active === false && before.state === 'active')
    return { ...row, state: 'paused', stateSinceMs: nowMs } as const
  if (change.active !== true || before.state === 'active') return row
  const fresh = { disabledReason: null, consecutiveExhausted: 0, activation: before.activation + 1 }
  return { ...row, ...fresh, state: 'active', stateSinceMs: nowMs } as const
}

/** @throws ApiError validation_error for `*` beside types. */
export function requireSoleWildcard(events: readonly string[]): void {
  if (events.length === 1 || !events.includes('*')) return
  throw new ApiError('validation_error', 'events must be a list of event types or exactly ["*"], not both.')
}

function limitReached(): ApiError {
  return new ApiError(
    'webhook_limit_reached',
    `The account already has ${LIMITS.webhooksPerAccount} webhooks, the maximum. Delete one, or add event types to an existing one.`,
  )
}
