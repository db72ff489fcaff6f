import type { GroupMetadata } from 'baileys'
import { ApiError } from '../../contract/errors.ts'
import type { DirectActs, Group, MemberResult } from '../direct.ts'
import type { EngineInstance } from '../engine.ts'
import { alreadyInGroup, deadInvite, waitsForAdmin } from '../group-rules.ts'
import { refusalOf } from './close-codes.ts'
import type { GroupMembers } from './group-members.ts'
import { addressOf, numberJid } from './jid.ts'
import type { OpenLink } from './link.ts'
import type { People } from './people.ts'
import { changeGroup, fetchGroup, withApiErrors, withReadErrors } from './group-metadata.ts'

interface GroupsNeeds {
  /** @throws ApiError not_ready */
  readonly openOf: (instance: EngineInstance) => OpenLink
  /** @throws ApiError not_found */
  readonly jidOf: (instance: EngineInstance, number: string) => Promise<string>
  readonly people: People
  readonly groupMembers: GroupMembers
}

type GroupActs = Pick<
  DirectActs,
  | 'groups'
  | 'group'
  | 'createGroup'
  | 'changeMembers'
  | 'inviteLink'
  | 'renameGroup'
  | 'joinGroup'
  | 'leaveGroup'
  | 'describeGroup'
  | 'setGroupRules'
  | 'setJoinRules'
>

/** What the network says of one member of a change. */
const REASONS: Readonly<Record<string, MemberResult['reason']>> = {
  '200': null,
  '404': 'not_on_whatsapp',
  '409': 'already_member',
  '406': 'not_member',
}

/** Groups of the live network, seen as one of their members. */
export function createGroups({ openOf, jidOf, people, groupMembers }: GroupsNeeds): GroupActs {
  async function toGroup(instance: EngineInstance, { session }: OpenLink, group: GroupMetadata): Promise<Group> {
    const nameOf = (jid: string, number?: string) => {
      const { user, kind } = addressOf(jid)
      const named = {
        number: number === undefined ? null : addressOf(number).user,
        hiddenId: kind === 'hidden' ? user : null,
      }
      return people.nameOf(instance, session.keys, kind === 'hidden' ? named : { number: user, hiddenId: null })
    }
    const members = group.participants.map(async ({ id, phoneNumber, admin }) => ({
      number: await nameOf(id, phoneNumber),
      isAdmin: Boolean(admin),
    }))
    const { id: ownNumber = '', lid: ownHiddenId = '' } = session.creds.me ?? {}
    const own = new Set([ownNumber, ownHiddenId].map((jid) => addressOf(jid).user))
    return {
      id: group.id,
      isOwnAdmin: group.participants.some(({ id, admin }) => Boolean(admin) && own.has(addressOf(id).user)),
      kind: group.isCommunity ? 'community' : group.isCommunityAnnounce ? 'announcements' : 'group',
      communityId: group.linkedParent ?? null,
      name: group.subject,
      owner: group.owner === undefined ? '' : await nameOf(group.owner, group.ownerPn),
      createdAtMs: (group.creation ?? 0) * 1_000,
      description: group.desc ?? null,
      isAnnounceOnly: group.announce === true,
      isLocked: group.restrict === true,
      needsApproval: group.joinApprovalMode === true,
      isAddedToByAdmins: group.memberAddMode === false,
      members: await Promise.all(members),
    }
  }

  const group: GroupActs['group'] = async (instance, id) => {
    const open = openOf(instance)
    return toGroup(instance, open, await fetchGroup(open, id))
  }

  return {
    async groups(instance) {
      const open = openOf(instance)
      const found = Object.values(await open.sock.groupFetchAllParticipating())
      return Promise.all(found.map((each) => toGroup(instance, open, each)))
    },
    group,
    async createGroup(instance, name, members) {
      const open = openOf(instance)
      const found = await people.check(instance, open, members)
      const jids = [...found.values()].flatMap((number) => (number === null ? [] : numberJid(number)))
      const id = await withApiErrors(groupMembers.create(open, name, jids))
      const created = await toGroup(instance, open, await fetchGroup(open, id))
      const inIt = new Set(created.members.map(({ number }) => number))
      const results = members.map((number): MemberResult => {
        const isIn = inIt.has(found.get(number) ?? '')
        return { number, reason: isIn ? null : 'not_on_whatsapp' }
      })
      return { group: created, results }
    },
    async changeMembers(instance, id, change, members) {
      const open = openOf(instance)
      const results: MemberResult[] = []
      for (const number of members) {
        const jid = await jidOf(instance, number).catch(() => null)
        if (jid === null) {
          results.push({ number, reason: 'not_on_whatsapp' })
          continue
        }
        const asked = change === 'add' ? groupMembers.add(open, id, jid) : changeMember(open, id, jid, change)
        results.push({ number, reason: reasonOf(await changeGroup(open, id, asked)) })
      }
      open.groups.forget(id)
      return results
    },
    async inviteLink(instance, id, isRenewed) {
      const open = openOf(instance)
      const code = await (isRenewed
        ? changeGroup(open, id, open.sock.groupRevokeInvite(id))
        : withReadErrors(open.sock.groupInviteCode(id)))
      if (code === undefined) throw new Error('the network named no invite code')
      return `https://chat.whatsapp.com/${code}`
    },
    async renameGroup(instance, id, name) {
      const open = openOf(instance)
      await changeGroup(open, id, open.sock.groupUpdateSubject(id, name))
      open.groups.forget(id)
    },
    async describeGroup(instance, id, description) {
      const { sock, groups } = openOf(instance)
      await withApiErrors(sock.groupUpdateDescription(id, description ?? undefined))
      groups.forget(id)
    },
    async setGroupRules(instance, id, { isAnnounceOnly, isLocked }) {
      const { sock, groups } = openOf(instance)
      if (isAnnounceOnly !== undefined)
        await withApiErrors(sock.groupSettingUpdate(id, isAnnounceOnly ? 'announcement' : 'not_announcement'))
      if (isLocked !== undefined) await withApiErrors(sock.groupSettingUpdate(id, isLocked ? 'locked' : 'unlocked'))
      groups.forget(id)
    },
    async setJoinRules(instance, id, { needsApproval, isAddedToByAdmins }) {
      const open = openOf(instance)
      const { sock, groups } = open
      if (needsApproval !== undefined)
        await changeGroup(open, id, sock.groupJoinApprovalMode(id, needsApproval ? 'on' : 'off'))
      if (isAddedToByAdmins !== undefined)
        await changeGroup(open, id, sock.groupMemberAddMode(id, isAddedToByAdmins ? 'admin_add' : 'all_member_add'))
      groups.forget(id)
    },
    async joinGroup(instance, code) {
      const id = await openOf(instance).sock.groupAcceptInvite(code).catch(inviteRefused)
      // The network names no group when an admin has to let newcomers in.
      if (id === undefined) throw waitsForAdmin()
      return id
    },
    async leaveGroup(instance, id) {
      const { sock, groups } = openOf(instance)
      await withApiErrors(sock.groupLeave(id))
      groups.forget(id)
    },
  }
}

export async function setGroupTimer(open: OpenLink, id: string, seconds: number): Promise<void> {
  await changeGroup(open, id, open.sock.groupToggleEphemeral(id, seconds))
  open.groups.forget(id)
}

async function changeMember(
  { sock }: OpenLink,
  id: string,
  jid: string,
  change: 'remove' | 'promote' | 'demote',
): Promise<string | undefined> {
  const [result] = await sock.groupParticipantsUpdate(id, [jid], change)
  return result?.status
}

/** Gone, revoked or mistyped; or this instance was removed from the group. */
function inviteRefused(error: unknown): never {
  const code = refusalOf(error) ?? 0
  if (INVITE_REFUSALS.has(code)) throw deadInvite()
  if (code === 409) throw alreadyInGroup()
  throw error
}

const INVITE_REFUSALS: ReadonlySet<number> = new Set([400, 401, 403, 404, 406, 410])

function reasonOf(status = ''): MemberResult['reason'] {
  const reason = REASONS[status]
  if (reason !== undefined) return reason
  throw new ApiError('invalid_state', `WhatsApp refused this change of the group (${status}).`)
}
