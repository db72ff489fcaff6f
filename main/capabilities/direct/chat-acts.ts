import { ApiError } from '../../contract/errors.ts'
import { isoTime } from '../../contract/request.ts'
import type { ChatChange, Label, MessageRef } from '../../engines/direct.ts'
import type { ActContext, Acts, Result } from './act-context.ts'
import { fieldsOf } from './fields.ts'

const DAY_SECONDS = 86_400

/** Actions on messages, chats, labels, calls and contacts. */
export const CHAT_ACTS: Acts = {
  async 'message/react'({ instance, body, message, engine }) {
    const { message_id, emoji } = fieldsOf('message/react', body, ['message_id', 'emoji'])
    await engine('react')(instance, await message(message_id), emoji)
    return { message_id, emoji }
  },
  async 'message/edit'({ instance, body, message, engine }) {
    const { message_id, text } = fieldsOf('message/edit', body, ['message_id', 'text'])
    await engine('edit')(instance, requireOwn(await message(message_id), 'edited'), text)
    return { message_id, text }
  },
  async 'message/delete'({ instance, body, message, engine }) {
    const { message_id } = fieldsOf('message/delete', body, ['message_id'])
    await engine('remove')(instance, requireOwn(await message(message_id), 'deleted'))
    return { message_id, deleted: true }
  },
  async 'message/markread'({ instance, body, message, engine }) {
    const { message_id } = fieldsOf('message/markread', body, ['message_id'])
    await engine('markRead')(instance, requireReceived(await message(message_id)))
    return { message_id, read: true }
  },
  async 'message/star'({ instance, body, message, engine }) {
    const { message_id, starred } = fieldsOf('message/star', body, ['message_id', 'starred'])
    await engine('star')(instance, await message(message_id), starred)
    return { message_id, starred }
  },
  async 'message/pin'({ instance, body, message, engine }) {
    const { message_id, pinned, for: days } = fieldsOf('message/pin', body, ['message_id', 'pinned'], ['for'])
    if (!pinned && days !== undefined)
      throw new ApiError('validation_error', 'for goes with pinned: true. Leave it out to unpin the message.')
    const pinnedDays = pinned ? (days ?? 7) : null
    const seconds = pinnedDays === null ? null : pinnedDays * DAY_SECONDS
    await engine('pinMessage')(instance, await message(message_id), seconds)
    return { message_id, pinned, for: pinnedDays }
  },

  async 'call/reject'({ instance, body, engine }) {
    const { call_id } = fieldsOf('call/reject', body, ['call_id'])
    await engine('rejectCall')(instance, call_id)
    return { call_id, rejected: true }
  },

  async 'user/check'({ instance, body, engine }) {
    const { numbers } = fieldsOf('user/check', body, ['numbers'])
    return { numbers: await engine('check')(instance, numbers) }
  },
  async 'user/info'({ instance, body, engine }) {
    const fields = fieldsOf('user/info', body, ['number'])
    const { number, name, about, isBusiness: business } = await engine('profile')(instance, fields.number)
    return { number, name, about, business }
  },
  async 'user/avatar'({ instance, body, engine }) {
    const { number } = fieldsOf('user/avatar', body, ['number'])
    return { number, url: await engine('avatar')(instance, number) }
  },
  'user/block': (scene) => block('user/block', scene, true),
  'user/unblock': (scene) => block('user/unblock', scene, false),

  async 'chat/info'({ instance, body, engine }) {
    const { to } = fieldsOf('chat/info', body, ['to'])
    return { to, disappearing_seconds: await engine('chatTimer')(instance, to) }
  },
  async 'chat/disappearing'({ instance, body, engine }) {
    const { to, seconds } = fieldsOf('chat/disappearing', body, ['to', 'seconds'])
    await engine('setChatTimer')(instance, to, seconds)
    return { to, seconds }
  },
  async 'chat/typing'({ instance, body, engine }) {
    const { to, state } = fieldsOf('chat/typing', body, ['to', 'state'])
    await engine('showTyping')(instance, to, state, null)
    return { to, state }
  },
  async 'chat/archive'(scene) {
    const { to, archived } = fieldsOf('chat/archive', scene.body, ['to', 'archived'])
    await changeChat(scene, to, { kind: 'archive', isSet: archived })
    return { to, archived }
  },
  async 'chat/pin'(scene) {
    const { to, pinned } = fieldsOf('chat/pin', scene.body, ['to', 'pinned'])
    await changeChat(scene, to, { kind: 'pin', isSet: pinned })
    return { to, pinned }
  },
  async 'chat/mute'(scene) {
    const { to, muted, until } = fieldsOf('chat/mute', scene.body, ['to', 'muted'], ['until'])
    const untilMs = until === undefined ? Infinity : Date.parse(until)
    if (!muted && until !== undefined)
      throw new ApiError('validation_error', 'until goes with muted: true. Leave it out to unmute the chat.')
    await changeChat(scene, to, { kind: 'mute', untilMs: muted ? untilMs : null })
    return { to, muted, until: muted && until !== undefined ? isoTime(untilMs) : null }
  },
  async 'chat/read'(scene) {
    const { to, read } = fieldsOf('chat/read', scene.body, ['to', 'read'])
    await changeChat(scene, to, { kind: 'read', isSet: read })
    return { to, read }
  },

  async 'label/list'({ instance, body, engine }) {
    fieldsOf('label/list', body, [])
    return { labels: (await engine('labels')(instance)).map(toLabel) }
  },
  async 'label/save'({ instance, body, engine }) {
    const { name, color = 0, label_id: id = null } = fieldsOf('label/save', body, ['name'], ['color', 'label_id'])
    return { label: toLabel(await engine('saveLabel')(instance, { id, name, color })) }
  },
  async 'label/delete'({ instance, body, engine }) {
    const { label_id } = fieldsOf('label/delete', body, ['label_id'])
    await engine('removeLabel')(instance, label_id)
    return { label_id, deleted: true }
  },
  async 'label/chat'({ instance, body, engine }) {
    const { to, label_id, labeled } = fieldsOf('label/chat', body, ['to', 'label_id', 'labeled'])
    await engine('labelChat')(instance, to, label_id, labeled)
    return { to, label_id, labeled }
  },
  async 'label/message'({ instance, body, message, engine }) {
    const fields = fieldsOf('label/message', body, ['message_id', 'label_id', 'labeled'])
    const { message_id, label_id, labeled } = fields
    await engine('labelMessage')(instance, await message(message_id), label_id, labeled)
    return { message_id, label_id, labeled }
  },
}

async function changeChat(scene: ActContext, to: string, change: ChatChange): Promise<void> {
  const { instance, engine, lastMessage } = scene
  await engine('changeChat')(instance, to, change, await lastMessage(to))
}

async function block(action: string, { instance, body, engine }: ActContext, blocked: boolean): Promise<Result> {
  const { number } = fieldsOf(action, body, ['number'])
  await engine('block')(instance, number, blocked)
  return { number, blocked }
}

function requireOwn(message: MessageRef, done: string): MessageRef {
  if (message.isOwn) return message
  throw new ApiError(
    'invalid_state',
    `Only messages sent by this instance can be ${done}. Somebody else sent this one.`,
  )
}

function requireReceived(message: MessageRef): MessageRef {
  if (!message.isOwn) return message
  throw new ApiError('invalid_state', 'Only received messages can be marked as read. This instance sent this one.')
}

const toLabel = ({ id, name, color }: Label): Result => ({ label_id: id, name, color })
