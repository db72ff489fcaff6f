import { ApiError } from '../../contract/errors.ts'
import type { Engine as EngineName } from '../../contract/shapes.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import { blockError } from '../block-errors.ts'
import { addsNobody, noOtherAdmins } from '../group-rules.ts'
import { messageToTypeUnder } from '../typing-rules.ts'
import type { DirectActs } from '../direct.ts'
import type { EngineInstance } from '../engine.ts'
import type { Blocks } from './blocks.ts'
import type { Calls } from './calls.ts'
import type { ChatLists } from './chat-lists.ts'
import { chatOf, type ChatTimers } from './chat-timers.ts'
import { isRegistered } from './simulated-outcomes.ts'
import type { Channels } from './channels.ts'
import type { Communities } from './communities.ts'
import type { Faults } from './faults.ts'
import { OF_META, type Groups } from './groups.ts'
import type { Inbox } from './inbox.ts'
import { isPaired, type Sessions } from './sessions.ts'
import { MEDIA_HOST } from './media.ts'
import { defaultName } from './network-ids.ts'
import type { Phones } from './phones.ts'
import type { Profiles } from './profiles.ts'
import type { PhoneMessages } from './phone-messages.ts'
import { parseUserId } from './user-ids.ts'

interface DirectDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly lastWroteAtMs: Inbox['lastWroteAtMs']
  readonly sessions: Sessions
  readonly faults: Faults
  readonly phones: Phones
  readonly phoneMessages: PhoneMessages
  readonly groups: Groups
  readonly communities: Communities
  readonly channels: Channels
  readonly blocks: Blocks
  readonly calls: Pick<Calls, 'reject'>
  readonly profiles: Profiles
  readonly chatLists: ChatLists
  readonly chatTimers: ChatTimers
}

const WINDOW_MS = 24 * 60 * 60_000

/**
 * Everything the sandbox engines can do besides sending. A change that an instance makes to a message is reported to
 * every instance with one of the two numbers, itself included, as for linked devices.
 */
export function createDirect(deps: DirectDeps): Readonly<Record<EngineName, Partial<DirectActs>>> {
  const { db, clock, sessions, phones, phoneMessages, groups, blocks, calls, profiles, chatLists, chatTimers } = deps
  const { communities, channels } = deps

  /** @throws ApiError not_ready, upstream_unavailable */
  async function numberOf({ id }: EngineInstance): Promise<string> {
    await sessions.load()
    await deps.faults.load()
    if (deps.faults.has(id, 'engine_down')) {
      throw new ApiError('upstream_unavailable', 'The sandbox engine cannot be reached. Nothing was done.')
    }
    const session = sessions.of(id)
    if (isPaired(session) && session.up) return session.number
    throw new ApiError('not_ready', 'The instance is not connected to the sandbox network. Connect it, then try again.')
  }

  const markRead: DirectActs['markRead'] = async (instance, { engineMessageId }) => {
    // The sandbox has no effect of reading; this only checks that the message exists.
    await phoneMessages.find(instance.accountId, await numberOf(instance), engineMessageId)
  }

  /** @throws ApiError not_found for a chat that cannot exist. */
  async function requireChat({ accountId }: EngineInstance, own: string, to: string): Promise<void> {
    if (to.endsWith('@g.us')) await groups.get(accountId, own, to)
    else requireOnNetwork(to)
  }

  /** The timer of a chat, and the instances that see it. */
  async function timerOf(instance: EngineInstance, to: string) {
    const own = await numberOf(instance)
    await requireChat(instance, own, to)
    await chatTimers.load()
    return { own, chat: chatOf(own, to, to.endsWith('@g.us') ? to : null) }
  }

  /** @throws ApiError not_found when none of these numbers is on WhatsApp. */
  function audienceOf(numbers: readonly string[]): readonly string[] {
    const found = numbers.filter(isRegistered)
    if (found.length > 0) return found
    throw new ApiError('not_found', 'None of these numbers is on WhatsApp.')
  }

  /** Meta's rule: only people who have written in the last 24 hours can be blocked. */
  const blockAsMeta: DirectActs['block'] = async (instance, name, isBlocked) => {
    const { accountId } = instance
    const owner = await numberOf(instance)
    const number = parseUserId(name)
    if (number === owner) throw blockError(131_021, 'Failed to block self phone number')
    const wroteAtMs = number === undefined ? null : await deps.lastWroteAtMs(accountId, owner, number)
    const isLate = wroteAtMs === null || clock.now() - wroteAtMs > WINDOW_MS
    if (isBlocked && isLate) throw blockError(131_047, 'Re-engagement required')
    if (number !== undefined) await db.commit((tx) => blocks.set(tx, accountId, owner, number, isBlocked))
  }

  /** Meta shows typing only together with the read receipt of a message from the person. */
  const typeAsMeta: DirectActs['showTyping'] = async (instance, to, state, received) => {
    await numberOf(instance)
    await markRead(instance, messageToTypeUnder(to, state, received))
  }

  const blocked: DirectActs['blocked'] = async (instance, page) =>
    blocks.list(instance.accountId, await numberOf(instance), page)

  const smv2: DirectActs = {
    async react(instance, { engineMessageId }, emoji) {
      await phoneMessages.react(instance.accountId, await numberOf(instance), engineMessageId, emoji)
    },
    async edit(instance, { engineMessageId }, text) {
      await phoneMessages.edit(instance.accountId, await numberOf(instance), engineMessageId, text)
    },
    async remove(instance, { engineMessageId }) {
      await phoneMessages.remove(instance.accountId, await numberOf(instance), engineMessageId)
    },
    markRead,
    async pinMessage(instance, { engineMessageId }, seconds) {
      await phoneMessages.pin(instance.accountId, await numberOf(instance), engineMessageId, seconds)
    },

    async showTyping(instance, to) {
      // The sandbox shows no typing; this only checks that it could be shown.
      await requireChat(instance, await numberOf(instance), to)
    },
    async setOnline(instance) {
      await numberOf(instance)
    },
    async check(instance, numbers) {
      await numberOf(instance)
      return numbers.map((number) => {
        const exists = isRegistered(number)
        return { number, exists, canonical: exists ? number : null }
      })
    },
    async profile(instance, number) {
      await numberOf(instance)
      requireOnNetwork(number)
      const { name } = await phones.find(instance.accountId, number)
      const { about } = await profiles.seen(instance.accountId, number)
      return { number, name: name ?? defaultName(number), about, isBusiness: false }
    },
    async avatar(instance, number) {
      await numberOf(instance)
      requireOnNetwork(number)
      if (!(await profiles.seen(instance.accountId, number)).hasPicture) return null
      return `https://${MEDIA_HOST}/${(await profiles.pictureName(instance.accountId, number)) ?? 'image.png'}`
    },
    async rejectCall(instance, callId) {
      await numberOf(instance)
      await calls.reject(instance.id, callId)
    },
    async block(instance, number, isBlocked) {
      const owner = await numberOf(instance)
      await db.commit((tx) => blocks.set(tx, instance.accountId, owner, number, isBlocked))
    },
    blocked,

    async setName(instance, name) {
      const own = await numberOf(instance)
      await db.commit(async (tx) => {
        await phones.change(tx, instance.accountId, own, { name }, clock.now())
        for (const id of sessions.withNumber(instance.accountId, own)) await sessions.rename(tx, id, name)
      })
    },
    setAbout: async (instance, text) => profiles.setAbout(instance.accountId, await numberOf(instance), text),
    async setPicture(instance, groupId, jpeg) {
      const { accountId } = instance
      const own = await numberOf(instance)
      await db.commit(async (tx) => {
        if (groupId !== null) await groups.requireEditor(tx, accountId, own, groupId)
        await profiles.setPicture(tx, accountId, groupId ?? own, jpeg)
      })
    },
    async postStatus(instance, text, audience) {
      const own = await numberOf(instance)
      return { engineMessageId: await phoneMessages.postStatus(instance.accountId, own, text, audienceOf(audience)) }
    },
    async deleteStatus(instance, engineMessageId, audience) {
      const own = await numberOf(instance)
      audienceOf(audience)
      await phoneMessages.deleteStatus(instance.accountId, own, engineMessageId)
    },
    privacy: async (instance) => (await profiles.read(instance.accountId, await numberOf(instance))).privacy,
    setPrivacy: async (instance, changes) => profiles.setPrivacy(instance.accountId, await numberOf(instance), changes),

    async chatTimer(instance, to) {
      const { chat } = await timerOf(instance, to)
      return chatTimers.of(instance.accountId, chat)
    },
    async setChatTimer(instance, to, seconds) {
      const { own, chat } = await timerOf(instance, to)
      await db.commit(async (tx) => {
        // As for the description of a group, members may do this unless the group is locked.
        if (to.endsWith('@g.us')) await groups.requireEditor(tx, instance.accountId, own, to)
        await chatTimers.set(tx, instance.accountId, chat, seconds)
      })
    },

    async changeChat(instance, chat, change) {
      const own = await numberOf(instance)
      await requireChat(instance, own, chat)
      await chatLists.changeChat(instance.accountId, own, chat, change)
    },
    async star(instance, { engineMessageId }, isStarred) {
      const own = await numberOf(instance)
      const { id } = await phoneMessages.find(instance.accountId, own, engineMessageId)
      await chatLists.star(instance.accountId, own, id, isStarred)
    },
    labels: async (instance) => chatLists.labels(instance.accountId, await numberOf(instance)),
    saveLabel: async (instance, label) => chatLists.saveLabel(instance.accountId, await numberOf(instance), label),
    removeLabel: async (instance, labelId) =>
      chatLists.removeLabel(instance.accountId, await numberOf(instance), labelId),
    async labelChat(instance, chat, labelId, isLabeled) {
      const own = await numberOf(instance)
      await requireChat(instance, own, chat)
      await chatLists.labelChat(instance.accountId, own, chat, labelId, isLabeled)
    },
    async labelMessage(instance, { engineMessageId }, labelId, isLabeled) {
      const own = await numberOf(instance)
      const { id } = await phoneMessages.find(instance.accountId, own, engineMessageId)
      await chatLists.labelMessage(instance.accountId, own, id, labelId, isLabeled)
    },

    groups: async (instance) => groups.list(instance.accountId, await numberOf(instance)),
    group: async (instance, id) => groups.get(instance.accountId, await numberOf(instance), id),
    createGroup: async (instance, name, members) =>
      groups.create(instance.accountId, await numberOf(instance), name, members),
    changeMembers: async (instance, id, change, members) =>
      groups.change(instance.accountId, await numberOf(instance), id, change, members),
    inviteLink: async (instance, id, isRenewed) =>
      groups.invite(instance.accountId, await numberOf(instance), id, isRenewed),
    renameGroup: async (instance, id, name) => groups.rename(instance.accountId, await numberOf(instance), id, name),
    describeGroup: async (instance, id, description) =>
      groups.describe(instance.accountId, await numberOf(instance), id, description),
    setGroupRules: async (instance, id, rules) =>
      groups.setRules(instance.accountId, await numberOf(instance), id, rules),
    setJoinRules: async (instance, id, rules) =>
      groups.setJoinRules(instance.accountId, await numberOf(instance), id, rules),
    joinRequests: async (instance, id) => groups.joinRequests(instance.accountId, await numberOf(instance), id),
    answerJoinRequests: async (instance, id, numbers, isApproved) =>
      groups.answerJoinRequests(instance.accountId, await numberOf(instance), id, numbers, isApproved),
    joinGroup: async (instance, code) => groups.join(instance.accountId, await numberOf(instance), code),
    leaveGroup: async (instance, id) => groups.leave(instance.accountId, await numberOf(instance), id),

    createCommunity: async (instance, name, description) =>
      communities.create(instance.accountId, await numberOf(instance), name, description),
    communityGroups: async (instance, id) => communities.groups(instance.accountId, await numberOf(instance), id),
    communityMembers: async (instance, id) => communities.members(instance.accountId, await numberOf(instance), id),
    linkGroup: async (instance, id, groupId) =>
      communities.link(instance.accountId, await numberOf(instance), id, groupId),
    unlinkGroup: async (instance, id, groupId) =>
      communities.unlink(instance.accountId, await numberOf(instance), id, groupId),

    channels: async (instance) => channels.list(instance.accountId, await numberOf(instance)),
    followChannel: async (instance, key) => channels.follow(instance.accountId, await numberOf(instance), key),
    unfollowChannel: async (instance, id) => channels.unfollow(instance.accountId, await numberOf(instance), id),
    postToChannel: async (instance, id, post) => ({
      engineMessageId: await channels.post(instance.accountId, await numberOf(instance), id, post),
    }),
  }

  /** For groups made with Meta's Groups API: nobody can be added, and the group ends when the business leaves. */
  const groupsAsMeta = {
    ...{ groups: smv2.groups, group: smv2.group, inviteLink: smv2.inviteLink },
    ...{ renameGroup: smv2.renameGroup, describeGroup: smv2.describeGroup },
    async createGroup(instance, name, members, needsApproval) {
      if (members.length > 0) throw addsNobody()
      const own = await numberOf(instance)
      const made = await groups.create(instance.accountId, own, name, [], OF_META)
      if (needsApproval !== true) return made
      await groups.setJoinRules(instance.accountId, own, made.group.id, { needsApproval })
      return { ...made, group: await groups.get(instance.accountId, own, made.group.id) }
    },
    async changeMembers(instance, id, change, members) {
      if (change === 'add') throw addsNobody()
      if (change !== 'remove') throw noOtherAdmins()
      return groups.change(instance.accountId, await numberOf(instance), id, change, members)
    },
    leaveGroup: async (instance, id) => groups.dissolve(instance.accountId, await numberOf(instance), id),
  } satisfies Partial<DirectActs>

  return { smv2, official: { markRead, blocked, block: blockAsMeta, showTyping: typeAsMeta, ...groupsAsMeta } }
}

function requireOnNetwork(number: string): void {
  if (isRegistered(number)) return
  throw new ApiError('not_found', `${number} is not on WhatsApp.`)
}
