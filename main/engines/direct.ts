import type { FileContent } from '../kernel/file-content.ts'
import type { EngineInstance } from './instance.ts'

/** A message as an engine knows it. */
export interface MessageRef {
  readonly engineMessageId: string
  /** Digits, or the group's id. */
  readonly chat: string
  /** Whether this instance sent it, through the service or on its phone. */
  readonly isOwn: boolean
  /** Who said it, in a group: digits, else the hidden id. null outside of groups, and for what this instance said. */
  readonly participant: string | null
}

interface NumberCheck {
  readonly number: string
  readonly exists: boolean
  /** The number as the network writes it, which messages should go to; null when it does not exist. */
  readonly canonical: string | null
}

interface Profile {
  readonly number: string
  readonly name: string | null
  readonly about: string | null
  readonly isBusiness: boolean
}

interface GroupMember {
  readonly number: string
  readonly isAdmin: boolean
}

/** `announcements`: where the admins of a community write to all of its members. */
type GroupKind = 'group' | 'community' | 'announcements'

export interface Group {
  readonly id: string
  readonly kind: GroupKind
  /** The community it belongs to. */
  readonly communityId: string | null
  readonly name: string
  readonly owner: string
  readonly createdAtMs: number
  /** null: it has none. */
  readonly description: string | null
  /** Only admins may write. */
  readonly isAnnounceOnly: boolean
  /** Only admins may change its name, picture and description. */
  readonly isLocked: boolean
  /** An admin has to let newcomers in. */
  readonly needsApproval: boolean
  /** Only admins may add members. */
  readonly isAddedToByAdmins: boolean
  readonly members: readonly GroupMember[]
  /** This line is an admin of it. */
  readonly isOwnAdmin: boolean
}

/** What this instance may do in a channel: admins and its owner post in it. `guest`: it does not follow it. */
type ChannelRole = 'owner' | 'admin' | 'follower' | 'guest'

/** What its admins post is shown to everybody who follows it. */
export interface Channel {
  readonly id: string
  readonly name: string
  /** null: it has none. */
  readonly description: string | null
  readonly role: ChannelRole
  /** null: the network did not say. */
  readonly followers: number | null
  /** null: the network did not say. */
  readonly link: string | null
}

/** Which channel is meant: the last part of its link, or its id. */
export type ChannelKey = { readonly invite: string } | { readonly id: string }

/** A group of a community, which this instance need not be a member of. */
export interface CommunityGroup {
  readonly id: string
  readonly kind: Exclude<GroupKind, 'community'>
  readonly name: string
  /** null: the network did not say. */
  readonly memberCount: number | null
}

/** What a group allows; what is left out stays as it is. */
export interface GroupRules {
  readonly isAnnounceOnly?: boolean
  readonly isLocked?: boolean
}

/** How people get into a group; what is left out stays as it is. */
export interface JoinRules {
  readonly needsApproval?: boolean
  readonly isAddedToByAdmins?: boolean
}

/** A request to join a group. */
export interface JoinRequest {
  /** Digits, else the hidden id. */
  readonly number: string
  readonly requestedAtMs: number
}

/** A change of how the phone and its linked devices list a chat. */
export type ChatChange =
  | { readonly kind: 'archive' | 'pin' | 'read'; readonly isSet: boolean }
  /** null: it is heard again; Infinity: until somebody changes it. */
  | { readonly kind: 'mute'; readonly untilMs: number | null }

/** A message and when it was said. */
export interface DatedMessageRef extends MessageRef {
  readonly atMs: number
}

export interface Label {
  readonly id: string
  readonly name: string
  /** Of the twenty colours of WhatsApp, from 0. */
  readonly color: number
}

/** Who sees or may do something. `known`: contacts, and people this account has written to. */
type Audience = 'everyone' | 'contacts' | 'contacts_except' | 'known' | 'nobody' | 'same_as_last_seen'

/** Who sees what of an account, and who may reach it; null: the network did not say. */
export interface Privacy {
  readonly lastSeen: Audience | null
  readonly online: Audience | null
  readonly picture: Audience | null
  readonly about: Audience | null
  readonly readReceipts: Audience | null
  /** Who may add it to groups. */
  readonly groups: Audience | null
  readonly calls: Audience | null
}

/** Where a list goes on. @param after of the page before; null: from its begin. */
export interface PageRequest {
  readonly limit: number
  readonly after: string | null
}

export interface BlockedPage {
  readonly people: readonly string[]
  /** null: there are no more. */
  readonly after: string | null
}

export type MemberChange = 'add' | 'remove' | 'promote' | 'demote'

export type TypingState = 'typing' | 'recording' | 'paused'

/** The result of a change for one member; `reason` is null if it succeeded. */
export interface MemberResult {
  readonly number: string
  readonly reason: 'not_on_whatsapp' | 'already_member' | 'not_member' | 'not_requested' | 'refused' | null
}

/**
 * What an engine can do past sending. Each adapter has those it can do, and no others. They throw an ApiError for what
 * the caller can act on: not_found, invalid_state, not_ready; anything else thrown means that the engine did not answer.
 */
export interface DirectActs {
  /** @param emoji '' takes the reaction back. */
  react(instance: EngineInstance, message: MessageRef, emoji: string): Promise<void>
  edit(instance: EngineInstance, message: MessageRef, text: string): Promise<void>
  /** For everyone. */
  remove(instance: EngineInstance, message: MessageRef): Promise<void>
  /** @param isTyping also shows the typing indicator, for at most 25 seconds (official only). */
  markRead(instance: EngineInstance, message: MessageRef, isTyping?: boolean): Promise<void>
  /** Among the starred messages of this account; nobody else sees it. */
  star(instance: EngineInstance, message: MessageRef, isStarred: boolean): Promise<void>
  /** At the top of the chat, for everybody in it. @param seconds after which it is unpinned; null unpins it now. */
  pinMessage(instance: EngineInstance, message: MessageRef, seconds: number | null): Promise<void>
  /** After how many seconds new messages of a chat disappear; 0: they stay. */
  chatTimer(instance: EngineInstance, to: string): Promise<number>
  /** For everybody in the chat. @param seconds a day, a week or 90 days; 0: new messages stay. */
  setChatTimer(instance: EngineInstance, to: string, seconds: number): Promise<void>
  /**
   * Shows in a chat that somebody is writing or recording. Phones stop showing it after some seconds.
   * @param received the newest message of the person; null: none is known here. Official marks it as read.
   */
  showTyping(instance: EngineInstance, to: string, state: TypingState, received?: MessageRef | null): Promise<void>
  /** Whether contacts see the line as online; until then, and after each start of the service, they do not. */
  setOnline(instance: EngineInstance, isOnline: boolean): Promise<void>
  check(instance: EngineInstance, numbers: readonly string[]): Promise<NumberCheck[]>
  profile(instance: EngineInstance, number: string): Promise<Profile>
  /** @returns the address of the picture; null when there is none, or it is not shown to this instance. */
  avatar(instance: EngineInstance, number: string): Promise<string | null>
  /** @throws ApiError not_found for a call that does not ring. */
  rejectCall(instance: EngineInstance, callId: string): Promise<void>
  /** @param number or a hidden id. */
  block(instance: EngineInstance, number: string, isBlocked: boolean): Promise<void>
  /** Whom this instance has blocked: digits, else the hidden id. */
  blocked(instance: EngineInstance, page: PageRequest): Promise<BlockedPage>
  /** The name people see who have not saved the number. */
  setName(instance: EngineInstance, name: string): Promise<void>
  setAbout(instance: EngineInstance, text: string): Promise<void>
  /**
   * The picture of the line itself, or of a group.
   * @param jpeg sent as it is.
   */
  setPicture(instance: EngineInstance, groupId: string | null, jpeg: Buffer): Promise<void>
  /**
   * Posts a text that disappears after a day.
   * @param audience numbers of those who may see it; the network shows it to those of them who have saved this one.
   */
  postStatus(instance: EngineInstance, text: string, audience: readonly string[]): Promise<{ engineMessageId: string }>
  /** @param audience of the post. */
  deleteStatus(instance: EngineInstance, engineMessageId: string, audience: readonly string[]): Promise<void>
  privacy(instance: EngineInstance): Promise<Privacy>
  /** @returns all settings as they are now. */
  setPrivacy(instance: EngineInstance, changes: Partial<Privacy>): Promise<Privacy>
  /** Every group the line is a member of. */
  groups(instance: EngineInstance): Promise<Group[]>
  group(instance: EngineInstance, id: string): Promise<Group>
  /** @param needsApproval people who want to join wait for an admin; only of engines without `setJoinRules`. */
  createGroup(
    instance: EngineInstance,
    name: string,
    members: readonly string[],
    needsApproval?: boolean,
  ): Promise<{ group: Group; results: MemberResult[] }>
  changeMembers(
    instance: EngineInstance,
    id: string,
    change: MemberChange,
    members: readonly string[],
  ): Promise<MemberResult[]>
  /** @param isRenewed the former link stops working. */
  inviteLink(instance: EngineInstance, id: string, isRenewed: boolean): Promise<string>
  renameGroup(instance: EngineInstance, id: string, name: string): Promise<void>
  /** @param description null removes it. */
  describeGroup(instance: EngineInstance, id: string, description: string | null): Promise<void>
  setGroupRules(instance: EngineInstance, id: string, rules: GroupRules): Promise<void>
  setJoinRules(instance: EngineInstance, id: string, rules: JoinRules): Promise<void>
  /** Those who wait for an admin, oldest first. @throws ApiError invalid_state if the instance is not an admin. */
  joinRequests(instance: EngineInstance, id: string): Promise<JoinRequest[]>
  /** @param numbers as `joinRequests` names them. @throws ApiError invalid_state if the instance is not an admin. */
  answerJoinRequests(
    instance: EngineInstance,
    id: string,
    numbers: readonly string[],
    isApproved: boolean,
  ): Promise<MemberResult[]>
  /** @param code the last part of the invite link. @returns the id of the group. */
  joinGroup(instance: EngineInstance, code: string): Promise<string>
  leaveGroup(instance: EngineInstance, id: string): Promise<void>
  /** Makes a community and its announcements. @param description null: none. */
  createCommunity(instance: EngineInstance, name: string, description: string | null): Promise<Group>
  /** The groups of a community, its announcements among them. */
  communityGroups(instance: EngineInstance, communityId: string): Promise<CommunityGroup[]>
  /** Everybody in any group of a community: digits, else the hidden id. */
  communityMembers(instance: EngineInstance, communityId: string): Promise<string[]>
  /** @throws ApiError invalid_state if this instance is not an admin of both. */
  linkGroup(instance: EngineInstance, communityId: string, groupId: string): Promise<void>
  /** @throws ApiError invalid_state if the instance is not an admin of the community. */
  unlinkGroup(instance: EngineInstance, communityId: string, groupId: string): Promise<void>
  /** The channels this instance follows, its own among them. */
  channels(instance: EngineInstance): Promise<Channel[]>
  /** Does nothing if it follows it already. @throws ApiError not_found */
  followChannel(instance: EngineInstance, channel: ChannelKey): Promise<Channel>
  /** @throws ApiError not_found, invalid_state for a channel of its own. */
  unfollowChannel(instance: EngineInstance, channelId: string): Promise<void>
  /** @throws ApiError not_found, invalid_state if the instance is not an admin of it. */
  postToChannel(instance: EngineInstance, channelId: string, post: ChannelPost): Promise<{ engineMessageId: string }>
  /** @param last message of the chat; the phone applies what is archived or read up to it. null: none is known here. */
  changeChat(instance: EngineInstance, chat: string, change: ChatChange, last: DatedMessageRef | null): Promise<void>
  /** Labels belong to business accounts. */
  labels(instance: EngineInstance): Promise<Label[]>
  /** @param label without an id: a new one. */
  saveLabel(instance: EngineInstance, label: Omit<Label, 'id'> & { readonly id: string | null }): Promise<Label>
  /** @throws ApiError not_found */
  removeLabel(instance: EngineInstance, labelId: string): Promise<void>
  /** @throws ApiError not_found for an unknown label. */
  labelChat(instance: EngineInstance, chat: string, labelId: string, isLabeled: boolean): Promise<void>
  /** @throws ApiError not_found for an unknown label. */
  labelMessage(instance: EngineInstance, message: MessageRef, labelId: string, isLabeled: boolean): Promise<void>
}

/** What is done with communities, which not every network of phones has. */
export type CommunityActs = 'createCommunity' | 'communityGroups' | 'communityMembers' | 'linkGroup' | 'unlinkGroup'

/** A text, or a file with an optional caption. */
export type ChannelPost =
  | { readonly text: string }
  | {
      readonly mediaType: 'image' | 'video'
      readonly mimeType: string
      readonly content: FileContent
      readonly caption: string | null
    }

/** What is done with channels, which not every network of phones has. */
export type ChannelActs = 'channels' | 'followChannel' | 'unfollowChannel' | 'postToChannel'

/** A file that somebody sent to an instance. */
export interface MediaFile {
  readonly mimeType: string
  readonly filename: string | null
  readonly bytes: Buffer
}

/** The same, wherever its bytes are kept. */
export interface ReceivedFile {
  readonly mimeType: string
  readonly filename: string | null
  readonly content: FileContent
}
