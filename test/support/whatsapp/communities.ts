import { jidDecode } from 'baileys'
import type { GroupInside } from './groups.ts'
import type { PhoneInside } from './people.ts'
import { child, children, lidJid, numberJid, stanza, type Stanza } from './stanza.ts'

interface Deps {
  readonly asker: PhoneInside
  readonly groups: {
    get(id: string): GroupInside | undefined
    create(subject: string, founder: string, others: readonly string[]): GroupInside
    linkedTo(communityId: string): readonly GroupInside[]
  }
  readonly phone: (number: string) => PhoneInside
}

/** The most groups in a community of this network, not counting the announcement group. */
const MOST_GROUPS = 3

const error = (code: number, text: string): Stanza[] => [stanza('error', { code, text })]

/** Turns a group that is created with `parent` into a community, and creates its announcement group. */
export function becomeCommunity(group: GroupInside, { asker, groups }: Deps): void {
  group.placeIn('itself')
  const announcements = groups.create(group.subject, asker.number, [])
  announcements.placeIn({ id: group.id, isAnnouncements: true })
  announcements.reserveForAdmins()
}

/** Answers a query about a community. @returns undefined for other queries. */
export function answerCommunityQuery(community: GroupInside, asked: Stanza, deps: Deps): Stanza[] | undefined {
  if (!COMMUNITY_TAGS.has(asked.tag)) return undefined
  if (!community.isCommunity) return error(400, 'bad-request')
  const linked = deps.groups.linkedTo(community.id)
  switch (asked.tag) {
    case 'sub_groups':
      return [stanza('sub_groups', {}, linked.map(nameOf))]
    case 'linked_groups_participants': {
      const numbers = new Set([community, ...linked].flatMap(({ members }) => [...members]))
      const people = [...numbers].map((number) => deps.phone(number))
      const named = people.map(({ number, lid }) =>
        stanza('participant', { jid: lidJid(lid), phone_number: numberJid(number) }),
      )
      return [stanza('linked_groups_participants', {}, named)]
    }
    default:
      return changeLinks(community, asked, linked, deps)
  }
}

function changeLinks(
  community: GroupInside,
  asked: Stanza,
  linked: readonly GroupInside[],
  { asker, groups }: Deps,
): Stanza[] {
  const link = asked.tag === 'links' ? child(asked, 'link') : asked
  const type = link?.attrs[asked.tag === 'links' ? 'link_type' : 'unlink_type']
  const [named] = children(link, 'group')
  if (type !== 'sub_group' || named === undefined) return error(400, 'bad-request')
  if (!community.admins.includes(asker.number)) return error(403, 'forbidden')
  const jid = named.attrs['jid'] ?? ''
  const refusal = refusalOf(groups.get(jidDecode(jid)?.user ?? ''), asked.tag, community, linked, asker)
  const group = groups.get(jidDecode(jid)?.user ?? '')
  if (refusal === null) group?.placeIn(asked.tag === 'links' ? { id: community.id } : 'nowhere')
  const result = stanza('group', { jid, ...(refusal !== null && { error: refusal }) })
  if (asked.tag === 'unlink') return [stanza('unlink', { unlink_type: 'sub_group' }, [result])]
  return [stanza('links', {}, [stanza('link', { link_type: 'sub_group' }, [result])])]
}

/** Each group has its own result, like members that are added. */
function refusalOf(
  group: GroupInside | undefined,
  change: string,
  community: GroupInside,
  linked: readonly GroupInside[],
  asker: PhoneInside,
): number | null {
  if (group === undefined || !group.members.includes(asker.number)) return 404
  if (change === 'unlink') return group.communityId === community.id ? null : 404
  if (!group.admins.includes(asker.number)) return 403
  if (group.isCommunity) return 406
  if (group.communityId !== null) return 409
  return linked.length > MOST_GROUPS ? 419 : null
}

function nameOf({ id, subject, createdAt, members, isAnnouncements }: GroupInside): Stanza {
  const attributes = { id, subject, creation: createdAt, s_t: createdAt, size: members.length }
  return stanza('group', attributes, isAnnouncements ? [stanza('default_sub_group', {})] : [])
}

const COMMUNITY_TAGS: ReadonlySet<string> = new Set(['sub_groups', 'linked_groups_participants', 'links', 'unlink'])
