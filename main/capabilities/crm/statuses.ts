import type { MessageStatus } from '../../contract/shapes.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Tx } from '../../kernel/db.ts'
import { isWaiting } from './inbox-store.ts'
import { scopeOf, type CrmLink, type Links } from './links.ts'
import { messageOf, partsOf, PAUSED, putStatus, setMessageStatus, statusOf } from './outbox-store.ts'

interface StatusesDeps {
  readonly clock: Pick<Clock, 'now'>
  readonly links: Pick<Links, 'notify'>
  readonly wake: (tx: Tx, queue: string) => Promise<void>
  /** Statuses that the connection's CRM supports. */
  readonly wordsOf: (link: CrmLink) => ReadonlySet<MessageStatus>
}

export type Statuses = ReturnType<typeof createStatuses>

const RANK: Readonly<Record<MessageStatus, number>> = { queued: 0, sent: 1, delivered: 2, read: 3, failed: 4 }

/**
 * Statuses of sent messages for the CRM. Only the latest status of a message waits, and it never goes backwards, so
 * an outage leaves one call per message.
 */
export function createStatuses({ clock, links, wake, wordsOf }: StatusesDeps) {
  /** Stores the status that the CRM should show. */
  const want = async (
    tx: Tx,
    link: CrmLink,
    externalId: string,
    status: MessageStatus,
    error: string | null,
  ): Promise<void> => {
    const { seq: linkSeq, queue } = link
    if (!link.sync.status || !wordsOf(link).has(status)) return
    const known = await tx.one(statusOf, { linkSeq, externalId })
    if (known !== undefined && RANK[known.status] >= RANK[status]) return
    // A status that the CRM postponed is retried even if a newer one exists.
    const holdUntilMs = link.paused === 1 ? PAUSED : (known?.holdUntilMs ?? 0)
    const row = { linkSeq, externalId, queue, status, error, dirty: 1, holdUntilMs, now: clock.now() } as const
    await tx.run(putStatus, row)
    links.notify(tx, link.accountId)
    await wake(tx, queue)
  }

  /** The status of a CRM message that became several messages here: that of the last one, or `failed`. */
  const ofParts = async (tx: Tx, link: CrmLink, externalId: string): Promise<void> => {
    const parts = await tx.all(partsOf, { linkSeq: link.seq, externalId })
    const failed = parts.find(({ status }) => status === 'failed')
    if (failed !== undefined) return want(tx, link, externalId, 'failed', failed.error)
    const least = parts.map(({ status }) => status ?? 'queued').toSorted((a, b) => RANK[a] - RANK[b])[0]
    if (least !== undefined) await want(tx, link, externalId, least, null)
  }

  return {
    want,
    ofParts,
    /** A message of ours changed its status. */
    async moved(tx: Tx, link: CrmLink, messageId: string, status: MessageStatus, error: string | null): Promise<void> {
      const known = await tx.one(messageOf, { linkSeq: link.seq, messageId })
      if (known === undefined) return
      if (known.status === null || RANK[known.status] < RANK[status])
        await tx.run(setMessageStatus, { linkSeq: link.seq, messageId, status, error })
      const { externalId } = known
      if (externalId === null) return
      // A message that fails before its result is stored may be sent again; the CRM is told then.
      const isOpen =
        status === 'failed' && (await tx.one(isWaiting, { scope: scopeOf(link), externalId })) !== undefined
      if (!isOpen) await ofParts(tx, link, externalId)
    },
  }
}
