import type { BinaryNode, GroupMetadata } from 'baileys'
import { ApiError } from '../../contract/errors.ts'
import {
  announcementsStay,
  communityFull,
  communityInCommunity,
  inAnotherCommunity,
  notAdminOfBoth,
  notCommunity,
  notPartOfCommunity,
} from '../community-rules.ts'
import type { CommunityActs, CommunityGroup, DirectActs } from '../direct.ts'
import type { EngineInstance } from '../engine.ts'
import { fetchGroup, withApiErrors } from './group-metadata.ts'
import type { GroupMembers } from './group-members.ts'
import { addressOf } from './jid.ts'
import type { OpenLink } from './link.ts'
import type { People } from './people.ts'
import { QUERY_MS } from './query.ts'

interface CommunitiesNeeds {
  /** @throws ApiError not_ready */
  readonly openOf: (instance: EngineInstance) => OpenLink
  readonly people: Pick<People, 'nameOf'>
  readonly groupMembers: Pick<GroupMembers, 'create'>
  readonly group: DirectActs['group']
}

const SUB_GROUP = 'sub_group'

/** Communities of the live network: groups that other groups belong to. */
export function createCommunities({
  openOf,
  people,
  groupMembers,
  group,
}: CommunitiesNeeds): Pick<DirectActs, CommunityActs> {
  async function ask(open: OpenLink, id: string, type: 'get' | 'set', content: BinaryNode): Promise<BinaryNode> {
    const iq: BinaryNode = { tag: 'iq', attrs: { to: id, type, xmlns: 'w:g2' }, content: [content] }
    // The library resolves with undefined if the network does not answer; its type does not say so.
    const answer = (await withApiErrors(open.sock.query(iq, QUERY_MS))) as BinaryNode | undefined
    if (answer === undefined) throw new Error('the network did not answer about a community')
    return answer
  }

  async function list(open: OpenLink, id: string, tag: string, each: string): Promise<BinaryNode[]> {
    const { library } = open
    const answer = await ask(open, id, 'get', { tag, attrs: {} })
    const found = library.getBinaryNodeChild(answer, tag)
    if (found === undefined) throw new Error(`the network named no ${tag}`)
    return library.getBinaryNodeChildren(found, each)
  }

  /** @throws ApiError with the answer of the network about the group itself. */
  async function changeLink(open: OpenLink, id: string, groupId: string, isLinked: boolean): Promise<void> {
    const { library } = open
    const content: BinaryNode[] = [{ tag: 'group', attrs: { jid: groupId } }]
    const change: BinaryNode = isLinked
      ? { tag: 'links', attrs: {}, content: [{ tag: 'link', attrs: { link_type: SUB_GROUP }, content }] }
      : { tag: 'unlink', attrs: { unlink_type: SUB_GROUP }, content }
    const answer = library.getBinaryNodeChild(await ask(open, id, 'set', change), change.tag)
    const place = isLinked ? library.getBinaryNodeChild(answer, 'link') : answer
    const code = library.getBinaryNodeChild(place, 'group')?.attrs['error']
    for (const changed of [id, groupId]) open.groups.forget(changed)
    if (code !== undefined) throw linkRefused(code)
  }

  return {
    async createCommunity(instance, name, description) {
      const open = openOf(instance)
      const body = { tag: 'body', attrs: {}, content: Buffer.from(description ?? '') }
      const described: BinaryNode = {
        tag: 'description',
        attrs: { id: open.sock.generateMessageTag() },
        content: [body],
      }
      const parent: BinaryNode = { tag: 'parent', attrs: { default_membership_approval_mode: 'request_required' } }
      const extra = description === null ? [parent] : [described, parent]
      return group(instance, await withApiErrors(groupMembers.create(open, name, [], extra)))
    },
    async communityGroups(instance, id) {
      const open = openOf(instance)
      await fetchCommunity(open, id)
      const found = await list(open, id, 'sub_groups', 'group')
      return found.map((node) => toCommunityGroup(open, node))
    },
    async communityMembers(instance, id) {
      const open = openOf(instance)
      await fetchCommunity(open, id)
      const found = await list(open, id, 'linked_groups_participants', 'participant')
      const named = found.map(({ attrs: { jid = '', phone_number: beside } }) => {
        const { user, kind } = addressOf(jid)
        const number = beside === undefined ? null : addressOf(beside).user
        return people.nameOf(
          instance,
          open.session.keys,
          kind === 'hidden' ? { number, hiddenId: user } : { number: user, hiddenId: null },
        )
      })
      return Promise.all(named)
    },
    async linkGroup(instance, id, groupId) {
      const open = openOf(instance)
      await fetchCommunity(open, id)
      const { isCommunity, linkedParent } = await fetchGroup(open, groupId)
      if (linkedParent === id) return
      if (isCommunity === true) throw communityInCommunity()
      if (linkedParent !== undefined) throw inAnotherCommunity()
      await changeLink(open, id, groupId, true)
    },
    async unlinkGroup(instance, id, groupId) {
      const open = openOf(instance)
      await fetchCommunity(open, id)
      const { isCommunityAnnounce, linkedParent } = await fetchGroup(open, groupId)
      if (linkedParent === undefined) return
      if (linkedParent !== id) throw notPartOfCommunity()
      if (isCommunityAnnounce === true) throw announcementsStay()
      await changeLink(open, id, groupId, false)
    },
  }
}

/** @throws ApiError not_found if the instance is not in this group, invalid_state when it is not a community. */
async function fetchCommunity(open: OpenLink, id: string): Promise<GroupMetadata> {
  const found = await fetchGroup(open, id)
  if (found.isCommunity === true) return found
  throw notCommunity()
}

function toCommunityGroup({ library }: OpenLink, node: BinaryNode): CommunityGroup {
  const { id = '', jid = id, subject = '', size } = node.attrs
  const isForAnnouncements = library.getBinaryNodeChild(node, 'default_sub_group') !== undefined
  return {
    id: jid.includes('@') ? jid : `${jid}@g.us`,
    kind: isForAnnouncements ? 'announcements' : 'group',
    name: subject,
    memberCount: size === undefined ? null : Number(size),
  }
}

function linkRefused(code: string): ApiError {
  if (code === '401' || code === '403') return notAdminOfBoth()
  if (code === '419') return communityFull()
  return new ApiError('invalid_state', `WhatsApp refused this change of the community (${code}).`)
}
