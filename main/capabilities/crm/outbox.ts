import type { MessageStatus } from '../../contract/shapes.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Tx } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import type { EventOf, InCommit } from '../../kernel/ledger.ts'
import { personKey } from '../../kernel/phone-number.ts'
import type { CrmCall } from './bridge.ts'
import type { CrmLink, Links } from './links.ts'
import { noteHidden } from './hidden-people.ts'
import { insertContact, insertItem, insertMessage, itemsOfContact, PAUSED } from './outbox-store.ts'
import type { Statuses } from './statuses.ts'

interface OutboxDeps {
  readonly clock: Pick<Clock, 'now'>
  readonly links: Links
  readonly statuses: Statuses
  /** Starts the queue's job, in the commit that needs it. */
  readonly wake: (tx: Tx, queue: string) => Promise<void>
}

/** A message for the CRM. */
export interface NewItem {
  readonly link: CrmLink
  readonly messageId: string
  /** The number in the form that the instance uses. */
  readonly chat: string
  readonly position: number
  readonly priority: 0 | 1
  readonly status: MessageStatus | null
}

/** A call, added by the voice room. */
export interface NewCall extends CrmCall {
  readonly instanceId: InstanceId
  /** The other party's number, digits. */
  readonly phone: string
}

type Received = EventOf<'message.received'>
type Moved = EventOf<'message.sent' | 'message.delivered' | 'message.read' | 'message.failed'>

export type Outbox = ReturnType<typeof createOutbox>

const NUMBER = /^[0-9]{7,15}$/

/** Items waiting to be sent to a CRM. An item is added in the commit of its event, so a crash cannot lose it. */
export function createOutbox({ clock, links, statuses, wake }: OutboxDeps) {
  /** New items of a contact wait behind its waiting ones. */
  const holdFor = async (tx: Tx, { queue, paused }: CrmLink, number: string): Promise<number> =>
    paused === 1 ? PAUSED : ((await tx.one(itemsOfContact, { queue, number, limit: 1 }))?.holdUntilMs ?? 0)

  /** @returns false if the CRM already has it or will get it. */
  const add = async (tx: Tx, { link, messageId, chat, position, priority, status }: NewItem): Promise<boolean> => {
    const { seq: linkSeq, queue } = link
    const number = personKey(chat)
    if ((await tx.run(insertMessage, { linkSeq, messageId, externalId: null, status })) === 0) return false
    await tx.run(insertContact, { queue, number, chat, dnd: 0 })
    await tx.run(insertItem, {
      ...{ seq: await tx.next('crm_outbox'), linkSeq, queue, number, position, priority },
      ...{ kind: 'message', itemKey: messageId, payload: null, now: clock.now() },
      holdUntilMs: await holdFor(tx, link, number),
    })
    links.notify(tx, link.accountId)
    return true
  }

  const received = async (tx: Tx, link: CrmLink, event: Received) => {
    const { message_id: messageId, chat, from_me: isOwn, is_group: isGroup, type } = event.data
    // Votes are not messages. A message without content yet is announced again once it has some.
    if (!link.sync.inbound || isGroup || type === 'poll_vote' || type === 'unavailable') return
    if (!NUMBER.test(chat) || (event.data.from_lid !== undefined && !isOwn)) {
      await tx.run(noteHidden, { linkSeq: link.seq, chat, now: clock.now() })
      return links.notify(tx, link.accountId)
    }
    const item = { link, messageId, chat, position: await tx.next('crm_positions'), priority: 0 } as const
    if (await add(tx, { ...item, status: isOwn ? 'sent' : null })) await wake(tx, link.queue)
  }

  /** A sent message changed its status. */
  const moved = async (tx: Tx, link: CrmLink, { data, type, origin }: Moved) => {
    const { message_id: messageId, chat, status } = data
    if (!NUMBER.test(chat)) return
    const error = type === 'message.failed' ? data.error.message : null
    if (origin?.kind === 'crm' && origin.link === link.kind) {
      // A CRM user wrote the message, so the CRM already has it.
      await tx.run(insertMessage, { linkSeq: link.seq, messageId, externalId: origin.externalId, status })
    } else if (type === 'message.sent' && link.sync.inbound) {
      const position = await tx.next('crm_positions')
      if (await add(tx, { link, messageId, chat, position, priority: 0, status })) await wake(tx, link.queue)
    }
    await statuses.moved(tx, link, messageId, status, error)
  }

  /** CRMs have no equivalent of other events. */
  const inCommit: InCommit<'message.received' | Moved['type']> = {
    phase: 'enqueue',
    on: ['message.received', 'message.sent', 'message.delivered', 'message.read', 'message.failed'],
    run: async (tx, event) => {
      if (!links.isLinked(event.instanceId)) return
      for (const link of await links.ofInstance(event.instanceId, tx))
        await (event.type === 'message.received' ? received(tx, link, event) : moved(tx, link, event))
    },
  }

  return {
    add,
    inCommit,

    /** Adds a call to the timeline of the contact, in the caller's commit. */
    async addCall(tx: Tx, { instanceId, phone, ...call }: NewCall): Promise<void> {
      if (!links.isLinked(instanceId) || !NUMBER.test(phone)) return
      for (const link of await links.ofInstance(instanceId, tx)) {
        if (!link.sync.calls) continue
        const number = personKey(phone)
        await tx.run(insertContact, { queue: link.queue, number, chat: phone, dnd: 0 })
        const added = await tx.run(insertItem, {
          ...{ seq: await tx.next('crm_outbox'), linkSeq: link.seq, queue: link.queue, number },
          ...{ position: await tx.next('crm_positions'), priority: 0, kind: 'call', itemKey: `call:${call.id}` },
          ...{ payload: JSON.stringify(call), now: clock.now(), holdUntilMs: await holdFor(tx, link, number) },
        })
        if (added > 0) await wake(tx, link.queue)
      }
    },
  }
}
