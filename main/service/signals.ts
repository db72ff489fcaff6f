import { aiRoom } from '../capabilities/ai/room.ts'
import { callsRoom } from '../capabilities/calls/room.ts'
import { campaignsRoom } from '../capabilities/campaigns/room.ts'
import type { FindRoom } from '../capabilities/compose-rooms.ts'
import { contactsRoom } from '../capabilities/contacts/room.ts'
import { historyRoom } from '../capabilities/history/room.ts'
import { instanceWebhookRoom } from '../capabilities/instance-webhook/room.ts'
import { instancesRoom } from '../capabilities/instances/room.ts'
import { messagesRoom } from '../capabilities/messages/room.ts'
import { optOutsRoom } from '../capabilities/opt-outs/room.ts'
import type { Notice } from '../contract/notice.ts'
import type { EngineSink } from '../engines/engine.ts'
import type { InstanceId } from '../kernel/ids.ts'
import type { Ledger } from '../kernel/ledger.ts'
import type { NoticeBus } from '../kernel/notice-bus.ts'
import type { PersonSignal } from './person-moves.ts'

/** Notifies the windows of events on instances. */
export function publishLedger(ledger: Ledger, live: NoticeBus<Notice>): void {
  ledger.subscribe(({ type, accountId, instanceId }) => {
    if (instanceId === null) return
    live.publish(accountId, { topic: 'events', type, instance_id: instanceId })
    if (type.startsWith('message.')) live.publish(accountId, { topic: 'messages', instance_id: instanceId })
    else live.publish(accountId, { topic: 'instances', id: instanceId })
  })
}

interface SignalTargets {
  readonly find: FindRoom
  readonly movePerson: (id: InstanceId, signal: PersonSignal) => Promise<void>
  readonly live: NoticeBus<Notice>
}

/** Connection signals go to the instances room, message signals to the messages room, and new names to every room. */
export async function routeSignal(
  { find, movePerson, live }: SignalTargets,
  ...[id, signal]: Parameters<EngineSink>
): Promise<void> {
  const instances = find(instancesRoom)
  const messages = find(messagesRoom)
  switch (signal.kind) {
    case 'receipt':
    case 'failed':
    case 'received':
    case 'vote':
    case 'edited':
    case 'deleted':
    case 'reaction':
      return messages.onSignal(id, signal)
    case 'contact':
    case 'number_changed':
      return movePerson(id, signal)
    case 'marketing':
      return find(optOutsRoom).onMarketing(id, signal)
    case 'username': {
      const instance = await instances.owned(id)
      if (instance !== undefined) await find(contactsRoom).onUsername(instance.subject.accountId, signal)
      return
    }
    case 'past': {
      const instance = await instances.owned(id)
      if (instance !== undefined) await find(historyRoom).onPast(instance.subject, signal.messages)
      return
    }
    case 'address_book': {
      const instance = await instances.owned(id)
      if (instance !== undefined) await find(contactsRoom).onAddressBook(instance.subject.accountId, signal.people)
      return
    }
    case 'handover': {
      const instance = await instances.owned(id)
      if (instance !== undefined) await find(aiRoom).onHandover(instance.subject, signal)
      return
    }
    case 'template': {
      await find(campaignsRoom).onTemplate(id, signal)
      const instance = await instances.owned(id)
      if (instance !== undefined) live.publish(instance.subject.accountId, { topic: 'templates', instance_id: id })
      return
    }
    case 'line_event':
      await find(instanceWebhookRoom).onLineEvent(id, signal.event)
      // Rejecting a call waits for the network, and the next signal must not wait for it.
      if (signal.event.type === 'call.offered') void find(callsRoom).onOffered(id, signal.event.data)
      if (signal.event.type === 'group.join_requests_changed') {
        const instance = await instances.owned(id)
        if (instance !== undefined) live.publish(instance.subject.accountId, { topic: 'groups', instance_id: id })
      }
      return
    case 'media_arrived': {
      const accountId = await messages.mediaArrived(id, signal)
      if (accountId !== undefined) live.publish(accountId, { topic: 'messages', instance_id: id })
      return
    }
    case 'qr':
    case 'qr_expired':
    case 'passkey_required':
    case 'passkey_accepted':
    case 'passkey_failed':
    case 'connected':
    case 'link_lost':
    case 'link_ended':
    case 'auth_failed': {
      const instance = await instances.onSignal(id, signal)
      // Not every connection change is an event: a lost connection may return.
      if (instance !== undefined) live.publish(instance.accountId, { topic: 'instances', id })
    }
  }
}
