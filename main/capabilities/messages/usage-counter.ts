import type { MessageStatus } from '../../contract/shapes.ts'
import type { Tx } from '../../kernel/db.ts'
import type { AccountId, InstanceId } from '../../kernel/ids.ts'
import type { UsagePort } from './deps.ts'
import type { Message } from './store.ts'

interface Stored {
  readonly accountId: AccountId
  readonly instanceId: InstanceId
  /** JSON, as it is stored. */
  readonly media: string | null
}

export interface UsageCounter {
  /** For the account that sent the message, even if the instance was transferred since. */
  status(
    tx: Tx,
    message: Pick<Message, 'accountId' | 'instanceId' | 'source'>,
    status: MessageStatus,
    atMs: number,
  ): Promise<void>
  /** Counts the file of a message that is on its way. */
  outgoing(tx: Tx, message: Stored, atMs: number): Promise<void>
  /** The message never left, and its row is gone. */
  takenBack(tx: Tx, message: Stored & { readonly createdAtMs: number }): Promise<void>
  /** Counts a row that was added for a report of the network. */
  received(tx: Tx, message: Stored & { readonly direction: 'phone' | 'in'; readonly createdAt: number }): Promise<void>
  /** The file of a received message is there now. */
  file(tx: Tx, message: Stored & { readonly createdAtMs: number }): Promise<void>
}

/**
 * Counts messages in the commits that store them, at the times that their rows carry: a count of the rows gives the same
 * numbers. What was said before the number was connected is not counted.
 */
export function createUsageCounter(usage: UsagePort): UsageCounter {
  const addFile = async (tx: Tx, { accountId, instanceId, media }: Stored, atMs: number, sign: 1 | -1) => {
    const mediaBytes = bytesIn(media)
    if (mediaBytes > 0) await usage.add(tx, { accountId, instanceId, atMs, mediaBytes: sign * mediaBytes })
  }
  return {
    async status(tx, { accountId, instanceId, source }, status, atMs) {
      if (status === 'failed') await usage.add(tx, { accountId, instanceId, atMs, failed: 1 })
      if (status !== 'sent') return
      await usage.add(tx, { accountId, instanceId, atMs, sent: 1, campaignSends: source === 'campaign' ? 1 : 0 })
    },
    outgoing: (tx, message, atMs) => addFile(tx, message, atMs, 1),
    takenBack: (tx, message) => addFile(tx, message, message.createdAtMs, -1),
    async received(tx, { accountId, instanceId, media, direction, createdAt: atMs }) {
      const use = { received: direction === 'in' ? 1 : 0, mediaBytes: bytesIn(media) }
      if (use.received + use.mediaBytes > 0) await usage.add(tx, { accountId, instanceId, atMs, ...use })
    },
    file: (tx, message) => addFile(tx, message, message.createdAtMs, 1),
  }
}

/** A file that is still to come has no size that counts. */
function bytesIn(media: string | null): number {
  if (media === null) return 0
  // Written by this room.
  const { size, pending } = JSON.parse(media) as { size?: number | null; pending?: boolean }
  return pending === true ? 0 : (size ?? 0)
}
