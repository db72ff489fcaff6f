import { ApiError } from '../../contract/errors.ts'
import type { Engine as EngineName } from '../../contract/shapes.ts'
import type { Db } from '../../kernel/db.ts'
import type { DirectActs } from '../direct.ts'
import type { EngineInstance } from '../engine.ts'
import type { Blocks } from './blocks.ts'
import type { Calls } from './calls.ts'
import { isRegistered } from './simulated-outcomes.ts'
import type { Faults } from './faults.ts'
import type { Groups } from './groups.ts'
import { isPaired, type Sessions } from './sessions.ts'
import { MEDIA_HOST } from './media.ts'
import { defaultName } from './network-ids.ts'
import type { Phones } from './phones.ts'
import type { PhoneMessages } from './phone-messages.ts'

interface DirectDeps {
  readonly db: Db
  readonly sessions: Sessions
  readonly faults: Faults
  readonly phones: Phones
  readonly phoneMessages: PhoneMessages
  readonly groups: Groups
  readonly blocks: Blocks
  readonly calls: Pick<Calls, 'reject'>
}

/** Sandbox phones have no profile, status, privacy settings, timers, chat list or requests to join groups. */
type OnlyOnPhones =
  | ('setName' | 'setAbout' | 'setPicture' | 'postStatus' | 'deleteStatus' | 'privacy' | 'setPrivacy')
  | ('chatTimer' | 'setChatTimer' | 'setJoinRules' | 'joinRequests' | 'answerJoinRequests')
  | ('changeChat' | 'star' | 'labels' | 'saveLabel' | 'removeLabel' | 'labelChat' | 'labelMessage')

/**
 * What the engines of the sandbox can do past sending. What an instance does to a message is told to everybody who has
 * one of the two numbers, itself included, as a linked device is.
 */
export function createDirect(deps: DirectDeps): Readonly<Record<EngineName, Partial<DirectActs>>> {
  const { db, phones, phoneMessages, groups, blocks, calls } = deps

  /** @throws ApiError not_ready, upstream_unavailable */
  async function numberOf({ id }: EngineInstance): Promise<string> {
    await deps.sessions.load()
    await deps.faults.load()
    if (deps.faults.has(id, 'engine_down')) {
      throw new ApiError('upstream_unavailable', 'The sandbox engine cannot be reached. Nothing was done.')
    }
    const session = deps.sessions.of(id)
    if (isPaired(session) && session.up) return session.number
    throw new ApiError('not_ready', 'The instance is not connected to the sandbox network. Connect it, then try again.')
  }

  const markRead: DirectActs['markRead'] = async (instance, { engineMessageId }) => {
    // Nobody on the sandbox looks whether an instance has read; that it could have is checked.
    await phoneMessages.find(instance.accountId, await numberOf(instance), engineMessageId)
  }

  const smv2: Omit<DirectActs, OnlyOnPhones> = {
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
      // Nobody on the sandbox watches the screen; that it would be shown is checked.
      const own = await numberOf(instance)
      if (!to.endsWith('@g.us')) requireOnNetwork(to)
      else await groups.get(instance.accountId, own, to)
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
      return { number, name: name ?? defaultName(number), about: 'On the sandbox network', isBusiness: false }
    },
    async avatar(instance, number) {
      await numberOf(instance)
      requireOnNetwork(number)
      return `https://${MEDIA_HOST}/image.png`
    },
    async rejectCall(instance, callId) {
      await numberOf(instance)
      await calls.reject(instance.id, callId)
    },
    async block(instance, number, isBlocked) {
      const owner = await numberOf(instance)
      await db.commit((tx) => blocks.set(tx, instance.accountId, owner, number, isBlocked))
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
    joinGroup: async (instance, code) => groups.join(instance.accountId, await numberOf(instance), code),
    leaveGroup: async (instance, id) => groups.leave(instance.accountId, await numberOf(instance), id),
  }

  return { smv2, official: { markRead } }
}

function requireOnNetwork(number: string): void {
  if (isRegistered(number)) return
  throw new ApiError('not_found', `${number} is not on WhatsApp.`)
}
