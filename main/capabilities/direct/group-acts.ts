import { ApiError } from '../../contract/errors.ts'
import { isoTime } from '../../contract/request.ts'
import type { Group, MemberResult } from '../../engines/direct.ts'
import type { ActContext, Acts, Result } from './act-context.ts'
import { fieldsOf } from './fields.ts'

/** Groups and communities. */
export const GROUP_ACTS: Acts = {
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
    // First, because not every engine supports it, and a refusal must change nothing else.
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
    // Some networks have groups but no communities.
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

const INVITE = /^https:\/\/chat\.(?:whatsapp\.com|sandbox)\/(?:invite\/)?([A-Za-z0-9]{8,64})(?:\?.*)?$/

function inviteCodeOf(link: string): string {
  const code = INVITE.exec(link)?.[1]
  if (code !== undefined) return code
  throw new ApiError('validation_error', 'link must be an invite link such as https://chat.whatsapp.com/CODE.')
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

const toResult = ({ number, reason }: MemberResult): Result => ({ number, done: reason === null, reason })
