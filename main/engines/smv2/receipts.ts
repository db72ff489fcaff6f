import type { BinaryNode } from 'baileys'
import type { EngineInstance, EngineSink } from '../engine.ts'
import type { Acks } from './acks.ts'
import { failureOf } from './failures.ts'
import { addressOf } from './jid.ts'
import type { OpenLink } from './link.ts'
import type { Sent } from './sent.ts'

type Status = 'sent' | 'delivered' | 'read'

/** What a receipt says; those of other types are of this account's own devices, or ask for something. */
const STATUS_OF: Readonly<Record<string, Status>> = { '': 'delivered', read: 'read', played: 'read' }

interface ReceiptsNeeds {
  readonly acks: Acks
  readonly sent: Sent
  readonly sink: EngineSink
  readonly now: () => number
}

export interface Receipts {
  /** Resolves once it is durable. */
  receipt(instance: EngineInstance, node: BinaryNode, open: OpenLink): Promise<void>
  ack(instance: EngineInstance, node: BinaryNode): Promise<void>
}

/** What the network and other phones say of messages of ours, straight from the wire: in time, late, merged or twice. */
export function createReceipts({ acks, sent, sink, now }: ReceiptsNeeds): Receipts {
  async function publishStatus(
    { id }: EngineInstance,
    engineMessageId: string,
    status: Status,
    atMs: number,
  ): Promise<void> {
    // A receipt proves as well as an answer that the network took the message.
    acks.settle(id, engineMessageId, { kind: 'taken' })
    const messageId = await sent.messageIdOf(id, engineMessageId)
    await sink(id, { kind: 'receipt', messageId, status, atMs, engineMessageId })
  }

  return {
    async receipt(instance, { attrs, content }, { session }) {
      const status = STATUS_OF[attrs['type'] ?? '']
      if (status === undefined || isOwn(attrs, session.creds.me)) return
      for (const id of idsIn(attrs, content)) await publishStatus(instance, id, status, timeIn(attrs, now))
    },

    async ack(instance, { attrs }) {
      const { id: engineMessageId, error } = attrs
      if (engineMessageId === undefined) return
      const code = Number(error)
      const answer = error === undefined ? ({ kind: 'taken' } as const) : ({ kind: 'refused', code } as const)
      if (acks.settle(instance.id, engineMessageId, answer)) return
      // Nobody waits any more, or it was taken before and is refused now.
      if (answer.kind === 'taken') return publishStatus(instance, engineMessageId, 'sent', timeIn(attrs, now))
      const messageId = await sent.messageIdOf(instance.id, engineMessageId)
      const atMs = timeIn(attrs, now)
      await sink(instance.id, { kind: 'failed', messageId, error: failureOf(code), atMs, engineMessageId })
    },
  }
}

/** One of this account's own devices has it; that says nothing of the recipient. */
function isOwn(attrs: BinaryNode['attrs'], me: { id: string; lid?: string | undefined } | undefined): boolean {
  const { user } = addressOf(attrs['participant'] ?? attrs['from'] ?? '')
  return user !== '' && (user === addressOf(me?.id ?? '').user || user === addressOf(me?.lid ?? '').user)
}

function idsIn({ id }: BinaryNode['attrs'], content: BinaryNode['content']): string[] {
  const [list] = Array.isArray(content) ? content : []
  const more = list?.tag === 'list' && Array.isArray(list.content) ? list.content : []
  return [id, ...more.map((item) => item.attrs['id'])].filter((each) => each !== undefined)
}

/** Whole seconds, by the clock of the network. */
function timeIn({ t }: BinaryNode['attrs'], now: () => number): number {
  const seconds = Number(t)
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : now()
}
