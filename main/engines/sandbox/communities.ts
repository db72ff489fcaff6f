import type { Db, Tx } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'
import {
  announcementsStay,
  communityFull,
  communityInCommunity,
  inAnotherCommunity,
  notAdminOfBoth,
  notCommunity,
  notPartOfCommunity,
} from '../community-rules.ts'
import type { CommunityGroup, Group } from '../direct.ts'
import type { Groups } from './groups.ts'

type Link = { group: number; community: number }

const link = sql<Link>('INSERT INTO sandbox_community_groups (group_seq, community_seq) VALUES (:group, :community)')
const unlink = sql<Link>('DELETE FROM sandbox_community_groups WHERE group_seq = :group AND community_seq = :community')
const groupsOf = sql<{ community: number; limit: number }, Omit<CommunityGroup, 'memberCount'> & { members: number }>(
  `SELECT g.id, g.kind, g.name,
     (SELECT COUNT(*) FROM sandbox_group_members m WHERE m.group_seq = g.seq) AS members
   FROM sandbox_community_groups c JOIN sandbox_groups g ON g.seq = c.group_seq
   WHERE c.community_seq = :community ORDER BY c.group_seq LIMIT :limit`,
)
const membersOf = sql<{ community: number; limit: number }, { number: string }>(
  `SELECT m.number FROM sandbox_community_groups c JOIN sandbox_group_members m ON m.group_seq = c.group_seq
   WHERE c.community_seq = :community ORDER BY c.group_seq, m.number LIMIT :limit`,
)
/** Adds the members of a group that joins a community to its announcements. */
const tellNews = sql<Link>(
  `INSERT INTO sandbox_group_members (group_seq, number, admin)
   SELECT a.group_seq, m.number, 0 FROM sandbox_group_members m
     JOIN sandbox_community_groups a ON a.community_seq = :community
     JOIN sandbox_groups g ON g.seq = a.group_seq AND g.kind = 'announcements'
   WHERE m.group_seq = :group ON CONFLICT (group_seq, number) DO NOTHING`,
)

/** WhatsApp's limit, announcements included. */
const MOST_GROUPS = 100
const MAX_LISTED = 2_000

export type Communities = ReturnType<typeof createCommunities>

/** Groups that other groups belong to. */
export function createCommunities({ db, groups }: { readonly db: Db; readonly groups: Groups }) {
  async function getCommunity(tx: Tx, accountId: AccountId, number: string, id: string) {
    const seen = await groups.within.getAsMember(tx, accountId, number, id)
    if (seen.group.kind !== 'community') throw notCommunity()
    return seen
  }

  return {
    create: (accountId: AccountId, number: string, name: string, description: string | null): Promise<Group> =>
      db.commit(async (tx) => {
        const { add, getAsMember } = groups.within
        const community = await add(tx, accountId, number, { name, description, kind: 'community' })
        const announcements = await add(tx, accountId, number, { name, description: null, kind: 'announcements' })
        await tx.run(link, { group: announcements.seq, community: community.seq })
        return (await getAsMember(tx, accountId, number, community.id)).group
      }),
    groups: (accountId: AccountId, number: string, id: string): Promise<CommunityGroup[]> =>
      db.commit(async (tx) => {
        const { row } = await getCommunity(tx, accountId, number, id)
        const rows = await tx.all(groupsOf, { community: row.seq, limit: MAX_LISTED })
        return rows.map(({ members, ...group }) => ({ ...group, memberCount: members }))
      }),
    members: (accountId: AccountId, number: string, id: string): Promise<string[]> =>
      db.commit(async (tx) => {
        const { row } = await getCommunity(tx, accountId, number, id)
        const rows = await tx.all(membersOf, { community: row.seq, limit: MAX_LISTED })
        return [...new Set(rows.map((member) => member.number))].toSorted()
      }),
    link: (accountId: AccountId, number: string, id: string, groupId: string): Promise<void> =>
      db.commit(async (tx) => {
        const { row, me } = await getCommunity(tx, accountId, number, id)
        const { row: linked, group, me: meInIt } = await groups.within.getAsMember(tx, accountId, number, groupId)
        if (group.communityId === id) return
        if (group.kind === 'community') throw communityInCommunity()
        if (group.communityId !== null) throw inAnotherCommunity()
        if (!me.isAdmin || !meInIt.isAdmin) throw notAdminOfBoth()
        const found = await tx.all(groupsOf, { community: row.seq, limit: MOST_GROUPS })
        if (found.length >= MOST_GROUPS) throw communityFull()
        await tx.run(link, { group: linked.seq, community: row.seq })
        await tx.run(tellNews, { group: linked.seq, community: row.seq })
      }),
    unlink: (accountId: AccountId, number: string, id: string, groupId: string): Promise<void> =>
      db.commit(async (tx) => {
        const { row, me } = await getCommunity(tx, accountId, number, id)
        const { row: linked, group } = await groups.within.getAsMember(tx, accountId, number, groupId)
        if (group.communityId === null) return
        if (group.communityId !== id) throw notPartOfCommunity()
        if (group.kind === 'announcements') throw announcementsStay()
        if (!me.isAdmin) throw notAdminOfBoth()
        await tx.run(unlink, { group: linked.seq, community: row.seq })
      }),
  }
}
