import { ApiError } from '../../contract/errors.ts'
import { isoTime } from '../../contract/request.ts'
import { contentOf } from '../../kernel/file-content.ts'
import type {
  ChannelPost,
  Channel,
  ChatChange,
  DatedMessageRef,
  DirectActs,
  Group,
  Label,
  MemberResult,
  MessageRef,
  Privacy,
} from '../../engines/direct.ts'
import type { EngineInstance } from '../../engines/engine.ts'
import type { ActionBody } from './contract/actions.ts'
import { fieldsOf } from './fields.ts'

export type Result = Readonly<Record<string, unknown>>

const POST_FIELDS = ['text', 'media_url', 'media_type', 'caption'] as const
type PostType = Extract<ChannelPost, { mediaType: string }>['mediaType']

interface FilePost {
  readonly url: string
  readonly type: PostType
  readonly caption: string | null
}

/** @throws ApiError validation_error for what is neither a text nor a picture or video. */
function postIn(wanted: Pick<ActionBody, (typeof POST_FIELDS)[number]>): { readonly text: string } | FilePost {
  const { text, media_url: url, media_type: type, caption } = wanted
  if (text !== undefined && (url ?? type ?? caption) === undefined) return { text }
  if (text !== undefined || url === undefined)
    throw new ApiError('validation_error', 'channel/post needs either text, or media_url with media_type.')
  if (type !== 'image' && type !== 'video')
    throw new ApiError('validation_error', 'media_type must be image or video: other files cannot be posted.')
  return { url, type, caption: caption ?? null }
}

async function fileOf({ url, type, caption }: FilePost, file: ActContext['file']): Promise<ChannelPost> {
  const { mimeType, bytes } = await file(url, type)
  return { mediaType: type, mimeType, content: contentOf(bytes), caption }
}

/** What an action works with. */
interface ActContext {
  readonly instance: EngineInstance
  readonly body: ActionBody
  /** @throws ApiError not_found, invalid_state when the network does not have the message. */
  readonly message: (messageId: string) => Promise<MessageRef>
  /** The newest message of a chat. */
  readonly lastMessage: (chat: string) => Promise<DatedMessageRef | null>
  /** Fetches the file at `media_url`. @throws ApiError invalid_url, validation_error */
  readonly picture: (url: string) => Promise<Buffer>
  /** Fetches a file of any allowed type. @throws ApiError invalid_url, validation_error */
  readonly file: (url: string, type: PostType) => Promise<{ mimeType: string; bytes: Buffer }>
  /** The engine's implementation. @throws ApiError engine_mismatch when it has none. */
  readonly engine: <K extends keyof DirectActs>(act: K) => DirectActs[K]
}

type Act = (scene: ActContext) => Promise<Result>

const DAY_SECONDS = 86_400

/** Every action that does not send, by the last two parts of its path. */
const ACTS: Readonly<Record<string, Act>> = {
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

  async 'group/list'({ instance, body, engine }) {
    fieldsOf('group/list', body, [])
    return { groups: (await engine('groups')(instance)).map(toGroup) }
  },
  async 'group/info'({ instance, body, engine }) {
    const { group_id } = fieldsOf('group/info', body, ['group_id'])
    return toGroup(await engine('group')(instance, group_id))
  },
  async 'group/create'({ instance, body, engine }) {
    const { name, participants } = fieldsOf('group/create', body, ['name', 'participants'])
    const { group, results } = await engine('createGroup')(instance, name, participants)
    return { group: toGroup(group), participants: results.map(toResult) }
  },
  async 'group/participant'({ instance, body, engine }) {
    const fields = fieldsOf('group/participant', body, ['group_id', 'change', 'participants'])
    const { group_id, change, participants } = fields
    const results = await engine('changeMembers')(instance, group_id, change, participants)
    return { group_id, participants: results.map(toResult) }
  },
  async 'group/invitelink'({ instance, body, engine }) {
    const { group_id, renew = false } = fieldsOf('group/invitelink', body, ['group_id'], ['renew'])
    return { group_id, link: await engine('inviteLink')(instance, group_id, renew) }
  },
  async 'group/subject'({ instance, body, engine }) {
    const { group_id, name } = fieldsOf('group/subject', body, ['group_id', 'name'])
    await engine('renameGroup')(instance, group_id, name)
    return { group_id, name }
  },
  async 'group/description'({ instance, body, engine }) {
    const { group_id, description = null } = fieldsOf('group/description', body, ['group_id'], ['description'])
    await engine('describeGroup')(instance, group_id, description)
    return { group_id, description }
  },
  async 'group/settings'({ instance, body, engine }) {
    const rules = ['announce', 'locked', 'join_approval', 'member_add'] as const
    const fields = fieldsOf('group/settings', body, ['group_id'], rules)
    const { group_id, announce, locked, join_approval, member_add } = fields
    if (rules.every((rule) => fields[rule] === undefined))
      throw new ApiError('validation_error', `group/settings needs at least one of ${rules.join(', ')}.`)
    // First, because not every engine can do it, and then nothing changes.
    if (join_approval !== undefined || member_add !== undefined)
      await engine('setJoinRules')(instance, group_id, {
        ...(join_approval !== undefined && { needsApproval: join_approval }),
        ...(member_add !== undefined && { isAddedToByAdmins: member_add === 'admins' }),
      })
    if (announce !== undefined || locked !== undefined)
      await engine('setGroupRules')(instance, group_id, {
        ...(announce !== undefined && { isAnnounceOnly: announce }),
        ...(locked !== undefined && { isLocked: locked }),
      })
    return { ...fields }
  },
  async 'group/picture'({ instance, body, engine, picture }) {
    const { group_id, media_url } = fieldsOf('group/picture', body, ['group_id', 'media_url'])
    await engine('setPicture')(instance, group_id, await picture(media_url))
    return { group_id, changed: true }
  },
  async 'group/join'({ instance, body, engine }) {
    const { link } = fieldsOf('group/join', body, ['link'])
    const code = inviteCodeOf(link)
    return { group_id: await engine('joinGroup')(instance, code), joined: true }
  },
  async 'group/leave'({ instance, body, engine }) {
    const { group_id } = fieldsOf('group/leave', body, ['group_id'])
    await engine('leaveGroup')(instance, group_id)
    return { group_id, left: true }
  },

  async 'group/requests'({ instance, body, engine }) {
    const { group_id } = fieldsOf('group/requests', body, ['group_id'])
    const found = await engine('joinRequests')(instance, group_id)
    const requests = found.map(({ number, requestedAtMs }) => ({ number, requested_at: isoTime(requestedAtMs) }))
    return { group_id, requests }
  },
  'group/approve': (scene) => answerRequests('group/approve', scene, true),
  'group/reject': (scene) => answerRequests('group/reject', scene, false),

  async 'community/list'({ instance, body, engine }) {
    fieldsOf('community/list', body, [])
    // Not every network has them, although it has groups.
    engine('communityGroups')
    const found = await engine('groups')(instance)
    return { communities: found.filter(({ kind }) => kind === 'community').map(toGroup) }
  },
  async 'community/create'({ instance, body, engine }) {
    const { name, description = null } = fieldsOf('community/create', body, ['name'], ['description'])
    return { community: toGroup(await engine('createCommunity')(instance, name, description)) }
  },
  async 'community/groups'({ instance, body, engine }) {
    const { community_id } = fieldsOf('community/groups', body, ['community_id'])
    const found = await engine('communityGroups')(instance, community_id)
    const groups = found.map(({ id: group_id, kind, name, memberCount: members }) => ({
      group_id,
      kind,
      name,
      members,
    }))
    return { community_id, groups }
  },
  async 'community/members'({ instance, body, engine }) {
    const { community_id } = fieldsOf('community/members', body, ['community_id'])
    return { community_id, numbers: await engine('communityMembers')(instance, community_id) }
  },
  async 'community/link'({ instance, body, engine }) {
    const { community_id, group_id } = fieldsOf('community/link', body, ['community_id', 'group_id'])
    await engine('linkGroup')(instance, community_id, group_id)
    return { community_id, group_id, linked: true }
  },
  async 'community/unlink'({ instance, body, engine }) {
    const { community_id, group_id } = fieldsOf('community/unlink', body, ['community_id', 'group_id'])
    await engine('unlinkGroup')(instance, community_id, group_id)
    return { community_id, group_id, linked: false }
  },

  async 'channel/list'({ instance, body, engine }) {
    fieldsOf('channel/list', body, [])
    return { channels: (await engine('channels')(instance)).map(toChannel) }
  },
  async 'channel/follow'({ instance, body, engine }) {
    const { channel_id: id, link } = fieldsOf('channel/follow', body, [], ['channel_id', 'link'])
    if ((id === undefined) === (link === undefined))
      throw new ApiError('validation_error', 'channel/follow needs either channel_id or link.')
    const key = id === undefined ? { invite: channelCodeOf(link ?? '') } : { id }
    return { channel: toChannel(await engine('followChannel')(instance, key)) }
  },
  async 'channel/unfollow'({ instance, body, engine }) {
    const { channel_id } = fieldsOf('channel/unfollow', body, ['channel_id'])
    await engine('unfollowChannel')(instance, channel_id)
    return { channel_id, followed: false }
  },
  async 'channel/post'({ instance, body, engine, file }) {
    const { channel_id, ...wanted } = fieldsOf('channel/post', body, ['channel_id'], POST_FIELDS)
    const post = postIn(wanted)
    const postToChannel = engine('postToChannel')
    const written = 'text' in post ? post : await fileOf(post, file)
    const { engineMessageId } = await postToChannel(instance, channel_id, written)
    return { channel_id, posted: true, message_id: engineMessageId }
  },

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

  async 'account/online'({ instance, body, engine }) {
    const { online } = fieldsOf('account/online', body, ['online'])
    await engine('setOnline')(instance, online)
    return { online }
  },
  async 'account/name'({ instance, body, engine }) {
    const { name } = fieldsOf('account/name', body, ['name'])
    requireShort('name', name, 25)
    await engine('setName')(instance, name)
    return { name }
  },
  async 'account/about'({ instance, body, engine }) {
    const { text } = fieldsOf('account/about', body, ['text'])
    requireShort('text', text, 139)
    await engine('setAbout')(instance, text)
    return { text }
  },
  async 'account/status'({ instance, body, engine }) {
    const { text, numbers } = fieldsOf('account/status', body, ['text', 'numbers'])
    requireShort('text', text, 700)
    const { engineMessageId } = await engine('postStatus')(instance, text, numbers)
    return { posted: true, message_id: engineMessageId }
  },
  async 'account/status-delete'({ instance, body, engine }) {
    const { message_id, numbers } = fieldsOf('account/status-delete', body, ['message_id', 'numbers'])
    await engine('deleteStatus')(instance, message_id, numbers)
    return { message_id, deleted: true }
  },
  async 'account/privacy'({ instance, body, engine }) {
    const { privacy: changes } = fieldsOf('account/privacy', body, [], ['privacy'])
    if (changes === undefined) return toPrivacy(await engine('privacy')(instance))
    const { last_seen: lastSeen, read_receipts: readReceipts, ...others } = changes
    const named = { ...others, ...(lastSeen && { lastSeen }), ...(readReceipts && { readReceipts }) }
    return toPrivacy(await engine('setPrivacy')(instance, named))
  },
  async 'account/picture'({ instance, body, engine, picture }) {
    const { media_url } = fieldsOf('account/picture', body, ['media_url'])
    await engine('setPicture')(instance, null, await picture(media_url))
    return { changed: true }
  },
}

/** @returns undefined for an unknown path. */
export function findAct(group: string, action: string): Act | undefined {
  const name = `${group}/${action}`
  return Object.hasOwn(ACTS, name) ? ACTS[name] : undefined
}

async function changeChat(scene: ActContext, to: string, change: ChatChange): Promise<void> {
  const { instance, engine, lastMessage } = scene
  await engine('changeChat')(instance, to, change, await lastMessage(to))
}

async function answerRequests(
  action: string,
  { instance, body, engine }: ActContext,
  isApproved: boolean,
): Promise<Result> {
  const { group_id, participants } = fieldsOf(action, body, ['group_id', 'participants'])
  const results = await engine('answerJoinRequests')(instance, group_id, participants, isApproved)
  return { group_id, participants: results.map(toResult) }
}

async function block(action: string, { instance, body, engine }: ActContext, blocked: boolean): Promise<Result> {
  const { number } = fieldsOf(action, body, ['number'])
  await engine('block')(instance, number, blocked)
  return { number, blocked }
}

/** What WhatsApp lets people type. */
function requireShort(field: string, words: string, most: number): void {
  if (words.length <= most) return
  throw new ApiError('validation_error', `${field} must have at most ${most} characters here.`)
}

const INVITE = /^https:\/\/chat\.(?:whatsapp\.com|sandbox)\/(?:invite\/)?([A-Za-z0-9]{8,64})(?:\?.*)?$/

function inviteCodeOf(link: string): string {
  const code = INVITE.exec(link)?.[1]
  if (code !== undefined) return code
  throw new ApiError('validation_error', 'link must be an invite link such as https://chat.whatsapp.com/CODE.')
}

const CHANNEL_LINK = /^https:\/\/(?:(?:www\.)?whatsapp\.com\/channel|channel\.sandbox)\/([A-Za-z0-9]{8,64})(?:\?.*)?$/

function channelCodeOf(link: string): string {
  const code = CHANNEL_LINK.exec(link)?.[1]
  if (code !== undefined) return code
  throw new ApiError(
    'validation_error',
    'link must be the link of a channel such as https://whatsapp.com/channel/CODE.',
  )
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

const toGroup = ({
  id,
  kind,
  communityId: community_id,
  name,
  owner,
  createdAtMs,
  description,
  isAnnounceOnly: announce,
  isLocked: locked,
  needsApproval: join_approval,
  isAddedToByAdmins,
  members,
}: Group): Result => ({
  group_id: id,
  kind,
  community_id,
  name,
  owner,
  created_at: isoTime(createdAtMs),
  description,
  announce,
  locked,
  join_approval,
  member_add: isAddedToByAdmins ? 'admins' : 'everyone',
  participants: members.map(({ number, isAdmin: admin }) => ({ number, admin })),
})

const toChannel = ({ id: channel_id, ...others }: Channel): Result => ({ channel_id, ...others })

const toPrivacy = ({ lastSeen: last_seen, readReceipts: read_receipts, ...others }: Privacy): Result => ({
  last_seen,
  read_receipts,
  ...others,
})

const toLabel = ({ id, name, color }: Label): Result => ({ label_id: id, name, color })

const toResult = ({ number, reason }: MemberResult): Result => ({ number, done: reason === null, reason })
