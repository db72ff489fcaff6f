import { ApiError } from '../../contract/errors.ts'
import type { CampaignsDeps } from './deps.ts'
import { sendKey, type Move, type Outcomes } from './outcomes.ts'
import type { Recipient } from './recipient-store.ts'

export type Resolver = (recipient: Recipient) => Promise<void>

/**
 * Finds the result of an interrupted send by its Idempotency-Key. Without a message nothing was sent, and the
 * recipient waits again; a message that is still queued may have been sent, and is never sent again.
 */
export function createResolver({
  db,
  clock,
  messages,
  outcomes,
}: Pick<CampaignsDeps, 'db' | 'clock' | 'messages'> & { readonly outcomes: Outcomes }): Resolver {
  return async (recipient) => {
    const { campaignId, position } = recipient
    const message = await messageOf(recipient)
    if (message === undefined) return db.commit((tx) => outcomes.putBack(tx, { campaignId, position }))
    const { id: messageId, status, engineMessageId, error, sentAtMs, deliveredAtMs, readAtMs, failedAtMs } = message
    const step = (to: Move['to'], atMs: number | null): Move => ({
      ...{ campaignId, position, to, messageId, atMs: atMs ?? clock.now() },
      ...(to === 'failed' && error !== null && { error }),
    })
    const isAccepted = engineMessageId !== null
    const steps = {
      queued: [isAccepted ? step('sent', null) : step('unknown', null)],
      sent: [step('sent', sentAtMs)],
      delivered: [step('sent', sentAtMs), step('delivered', deliveredAtMs)],
      read: [step('sent', sentAtMs), step('delivered', deliveredAtMs), step('read', readAtMs)],
      failed: [step('failed', failedAtMs)],
    }
    await db.commit(async (tx) => {
      for (const move of steps[status]) await outcomes.move(tx, move)
    })
    outcomes.takeSettled(recipient)
  }

  async function messageOf(recipient: Recipient) {
    const { instanceId } = recipient
    if (instanceId === null) return undefined
    try {
      return await messages.getByKey(instanceId, sendKey(recipient))
    } catch (error) {
      if (error instanceof ApiError && error.code === 'not_found') return undefined
      throw error
    }
  }
}
