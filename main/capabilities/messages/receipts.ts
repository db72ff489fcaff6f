import type { EngineSignal } from '../../engines/engine.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { Idempotency } from '../../kernel/idempotency.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import type { PricesPort } from './deps.ts'
import { sentBody } from './send-result.ts'
import { advance, type AnnounceStatus, type Move } from './status.ts'
import { messageByEngineId, messageById, toMessage, type MessageRow } from './store.ts'

type StatusSignal = Extract<EngineSignal, { kind: 'receipt' | 'failed' }>

interface ReceiptDeps {
  readonly db: Db
  readonly announce: AnnounceStatus
  readonly idempotency: Idempotency
  readonly prices: Pick<PricesPort, 'reported'>
}

export type Receipts = (instanceId: InstanceId, signal: StatusSignal) => Promise<void>

/**
 * Receipts of the network for our messages. The row is made before the engine is called, so a receipt that arrives before
 * the answer to the send finds it and changes its status. The answer then changes nothing.
 */
export function createReceipts({ db, announce, idempotency, prices }: ReceiptDeps): Receipts {
  return (instanceId, signal) =>
    db.commit(async (tx) => {
      const row = await rowOf(tx, instanceId, signal)
      await report(tx, instanceId, signal, row)
      // It was removed because nothing had left the machine, or it belongs to another instance.
      if (!row) return
      const message = toMessage(row)
      const hasMoved = await advance(tx, announce, message, moveOf(signal))
      if (!hasMoved || message.status !== 'queued' || message.engineMessageId !== null) return
      // The outcome of the send was unknown, and the receipt settles it. Repeats now get the answer.
      if (message.idempotencyKey === null || message.engine === null) return
      const { engine, id: messageId, idempotencyKey } = message
      const kind = signal.kind === 'receipt' ? 'accepted' : 'refused'
      await idempotency.settle(tx, instanceId, idempotencyKey, 201, sentBody({ kind, engine, messageId }), messageId)
    })

  /** Also for a status that changes nothing, and for a message that a restore has removed: the network charges for it. */
  async function report(tx: Tx, instanceId: InstanceId, signal: StatusSignal, message: MessageRow | undefined) {
    if (signal.kind !== 'receipt' || signal.billing === undefined) return
    const messageId = message?.id ?? signal.messageId
    if (messageId === null) return
    const { status, atMs, billing } = signal
    await prices.reported(tx, { messageId, instanceId, message, status, atMs, billing })
  }
}

async function rowOf(tx: Tx, instanceId: InstanceId, { messageId, engineMessageId }: StatusSignal) {
  if (messageId !== null) return tx.one(messageById, { id: messageId, instanceId })
  return engineMessageId === undefined ? undefined : tx.one(messageByEngineId, { instanceId, engineMessageId })
}

function moveOf(signal: StatusSignal): Move {
  const { atMs, engineMessageId } = signal
  if (signal.kind === 'failed') return { to: 'failed', atMs, engineMessageId, error: signal.error }
  return { to: signal.status, atMs, engineMessageId }
}
