import { ApiError } from '../../contract/errors.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { AccountId, Random } from '../../kernel/ids.ts'
import { sql } from '../../kernel/sql.ts'
import type { Group, GroupRules, JoinRequest, JoinRules, MemberChange, MemberResult } from '../direct.ts'
import { alreadyInGroup, deadInvite, groupAdminsOnly, noSuchGroup, waitsForAdmin } from '../group-rules.ts'
import type { TellAdmins } from './join-request-events.ts'
import { isRegistered } from './simulated-outcomes.ts'
import { crockford } from './network-ids.ts'

interface GroupRow {
  readonly seq: number
  readonly id: string
  readonly name: string
  readonly owner: string
  readonly invite: string
  readonly createdAtMs: number
  readonly description: string | null
  readonly announce: 0 | 1
  readonly locked: 0 | 1
  readonly approval: 0 | 1
  readonly adminAdd: 0 | 1
  readonly kind: Group['kind']
  /** The id of the community it belongs to. */
  readonly communityId: string | null
}

interface MemberRow {
  readonly number: string
  readonly admin: number
}

const GROUP = `g.seq, g.id, g.name, g.owner, g.invite, g.created_at AS createdAtMs, g.description, g.announce, g.locked,
  g.approval, g.admin_add AS adminAdd, g.kind,
  (SELECT c.id FROM sandbox_community_groups l JOIN sandbox_groups c ON c.seq = l.community_seq
    WHERE l.group_seq = g.seq) AS communityId`

type Named = { accountId: string; id: string }
type Membership = { group: number; number: string }

const byId = sql<Named, GroupRow>(
  `SELECT ${GROUP} FROM sandbox_groups g WHERE g.account_id = :accountId AND g.id = :id`,
)
const ofNumber = sql<{ accountId: string; number: string; limit: number }, GroupRow>(
  `SELECT ${GROUP} FROM sandbox_group_members m JOIN sandbox_groups g ON g.seq = m.group_seq
    WHERE m.number = :number AND g.account_id = :accountId ORDER BY m.group_seq LIMIT :limit`,
)
const membersOf = sql<{ group: number }, MemberRow>(
  'SELECT number, admin FROM sandbox_group_members WHERE group_seq = :group ORDER BY number',
)
const add = sql<Named & { seq: number; name: string; owner: string; invite: string; now: number }>(
  `INSERT INTO sandbox_groups (seq, account_id, id, name, owner, invite, created_at)
   VALUES (:seq, :accountId, :id, :name, :owner, :invite, :now) ON CONFLICT (account_id, id) DO NOTHING`,
)
const join = sql<Membership & { admin: 0 | 1 }>(
  `INSERT INTO sandbox_group_members (group_seq, number, admin) VALUES (:group, :number, :admin)
   ON CONFLICT (group_seq, number) DO NOTHING`,
)
const leave = sql<Membership>('DELETE FROM sandbox_group_members WHERE group_seq = :group AND number = :number')
const appoint = sql<Membership & { admin: 0 | 1 }>(
  'UPDATE sandbox_group_members SET admin = :admin WHERE group_seq = :group AND number = :number',
)
const renew = sql<{ group: number; invite: string }>('UPDATE sandbox_groups SET invite = :invite WHERE seq = :group')
const rename = sql<{ group: number; name: string }>('UPDATE sandbox_groups SET name = :name WHERE seq = :group')
const describe = sql<{ group: number; description: string | null }>(
  'UPDATE sandbox_groups SET description = :description WHERE seq = :group',
)
const setRules = sql<{ group: number; announce: 0 | 1; locked: 0 | 1 }>(
  'UPDATE sandbox_groups SET announce = :announce, locked = :locked WHERE seq = :group',
)
const setJoinRules = sql<{ group: number; approval: 0 | 1; adminAdd: 0 | 1 }>(
  'UPDATE sandbox_groups SET approval = :approval, admin_add = :adminAdd WHERE seq = :group',
)
const request = sql<Membership & { now: number }>(
  `INSERT INTO sandbox_join_requests (group_seq, number, requested_at) VALUES (:group, :number, :now)
   ON CONFLICT (group_seq, number) DO NOTHING`,
)
const endRequest = sql<Membership>('DELETE FROM sandbox_join_requests WHERE group_seq = :group AND number = :number')
const requestsOf = sql<{ group: number; limit: number }, JoinRequest>(
  `SELECT number, requested_at AS requestedAtMs FROM sandbox_join_requests WHERE group_seq = :group
   ORDER BY requested_at, number LIMIT :limit`,
)
const byInvite = sql<{ accountId: string; invite: string }, GroupRow>(
  `SELECT ${GROUP} FROM sandbox_groups g WHERE g.account_id = :accountId AND g.invite = :invite`,
)
const setKind = sql<{ group: number; kind: Group['kind'] }>('UPDATE sandbox_groups SET kind = :kind WHERE seq = :group')
/** Announcement groups end with their community. */
const endAnnouncements = sql<{ group: number }>(
  `DELETE FROM sandbox_groups WHERE kind = 'announcements'
     AND seq IN (SELECT group_seq FROM sandbox_community_groups WHERE community_seq = :group)`,
)
const dissolve = sql<{ group: number }>('DELETE FROM sandbox_groups WHERE seq = :group')
const forgetTimer = sql<Named>('DELETE FROM sandbox_timers WHERE account_id = :accountId AND chat = :id')
const forgetPicture = sql<Named>('DELETE FROM sandbox_pictures WHERE account_id = :accountId AND subject = :id')

/** Limit of groups in a list. */
const MAX_LISTED = 500

/** Prefix of the ids of groups made with Meta's Groups API. */
export const OF_META = 'CAPI'
/** Limit of members besides the business. */
const MOST_OF_META = 8

interface GroupsDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly random: Random
  readonly tellAdmins: TellAdmins
}

export type Groups = ReturnType<typeof createGroups>

/** The groups of the network. A group is created explicitly or by the first message in it. */
export function createGroups({ db, clock, random, tellAdmins }: GroupsDeps) {
  const secretCode = () => crockford(random.bytes(15))
  const newGroupId = (prefix: string) => `${prefix}${crockford(random.bytes(10))}@g.us`

  async function withMembers(tx: Tx, row: GroupRow, viewer: string): Promise<Group> {
    const { id, kind, communityId, name, owner, createdAtMs, seq, description } = row
    const rows = await tx.all(membersOf, { group: seq })
    const members = rows.map(({ number, admin }) => ({ number, isAdmin: admin === 1 }))
    const join = { needsApproval: row.approval === 1, isAddedToByAdmins: row.adminAdd === 1 }
    const rules = { isAnnounceOnly: row.announce === 1, isLocked: row.locked === 1, ...join }
    const isOwnAdmin = members.some(({ number, isAdmin }) => number === viewer && isAdmin)
    return { id, kind, communityId, name, owner, createdAtMs, description, ...rules, members, isOwnAdmin }
  }

  async function ensureGroup(tx: Tx, accountId: AccountId, id: string, name: string, owner: string): Promise<GroupRow> {
    const seq = await tx.next('sandbox')
    const now = clock.now()
    const isNew = (await tx.run(add, { seq, accountId, id, name, owner, invite: secretCode(), now })) === 1
    const row = await tx.one(byId, { accountId, id })
    if (!row) throw new Error('A group that was just written is not there')
    if (isNew) await tx.run(join, { group: row.seq, number: owner, admin: 1 })
    return row
  }

  /** The group as one of its members sees it. @throws ApiError not_found, also for non-members. */
  async function getAsMember(tx: Tx, accountId: AccountId, number: string, id: string) {
    const row = await tx.one(byId, { accountId, id })
    const group = row && (await withMembers(tx, row, number))
    const me = group?.members.find((member) => member.number === number)
    if (row && group && me) return { row, group, me }
    throw noSuchGroup()
  }

  async function getAsAdmin(tx: Tx, accountId: AccountId, number: string, id: string) {
    const seen = await getAsMember(tx, accountId, number, id)
    if (seen.me.isAdmin) return seen
    throw groupAdminsOnly()
  }

  /** Members may change the name and the description unless the group is locked. */
  async function getAsEditor(tx: Tx, accountId: AccountId, number: string, id: string) {
    const seen = await getAsMember(tx, accountId, number, id)
    return seen.row.locked === 1 ? getAsAdmin(tx, accountId, number, id) : seen
  }

  /** Who may add members depends on the group's rules; every other change needs an admin. */
  async function getAsChanger(tx: Tx, accountId: AccountId, number: string, id: string, change: MemberChange) {
    const seen = await getAsMember(tx, accountId, number, id)
    return change === 'add' && seen.row.adminAdd === 0 ? seen : getAsAdmin(tx, accountId, number, id)
  }

  async function ask(
    tx: Tx,
    accountId: AccountId,
    { row, members }: { row: GroupRow; members: Group['members'] },
    number: string,
  ): Promise<void> {
    const isNew = (await tx.run(request, { group: row.seq, number, now: clock.now() })) === 1
    if (!isNew) return
    const change = { group_id: row.id, by: number, participants: [number] }
    await tellAdmins(tx, accountId, adminsAmong(members), { ...change, action: 'requested' })
  }

  /** Joins by the invite link. @returns whether an admin has to approve it first. */
  async function enter(tx: Tx, accountId: AccountId, number: string, invite: string) {
    const row = await tx.one(byInvite, { accountId, invite })
    if (!row) throw deadInvite()
    const { members } = await withMembers(tx, row, number)
    if (members.some((member) => member.number === number)) throw alreadyInGroup()
    if (row.id.startsWith(OF_META) && members.length > MOST_OF_META)
      throw new ApiError(
        'invalid_state',
        'This group is full: eight people can join a group of an official number.',
      ).because('group_full')
    const waits = row.approval === 1
    if (waits) await ask(tx, accountId, { row, members }, number)
    else await tx.run(join, { group: row.seq, number, admin: 0 })
    return { id: row.id, waits }
  }

  /** @returns why the change failed, or null. */
  async function changeOne(
    tx: Tx,
    { row, group }: { row: GroupRow; group: Group },
    change: MemberChange,
    number: string,
  ) {
    const isMember = group.members.some((member) => member.number === number)
    const at = { group: row.seq, number }
    if (change === 'add') {
      if (!isRegistered(number)) return 'not_on_whatsapp'
      await tx.run(endRequest, at)
      return (await tx.run(join, { ...at, admin: 0 })) === 1 ? null : 'already_member'
    }
    if (!isMember) return 'not_member'
    if (change === 'remove') await tx.run(leave, at)
    else await tx.run(appoint, { ...at, admin: change === 'promote' ? 1 : 0 })
    return null
  }

  async function changeAll(
    tx: Tx,
    seen: { row: GroupRow; group: Group },
    change: MemberChange,
    numbers: readonly string[],
  ): Promise<MemberResult[]> {
    const results: MemberResult[] = []
    for (const number of numbers) results.push({ number, reason: await changeOne(tx, seen, change, number) })
    return results
  }

  /** Creates a community, or its announcement group. */
  async function addOfKind(
    tx: Tx,
    accountId: AccountId,
    owner: string,
    { name, description, kind }: { name: string; description: string | null; kind: Exclude<Group['kind'], 'group'> },
  ): Promise<GroupRow> {
    const row = await ensureGroup(tx, accountId, newGroupId('SANDBOX'), name, owner)
    await tx.run(setKind, { group: row.seq, kind })
    await tx.run(describe, { group: row.seq, description })
    if (kind === 'announcements') await tx.run(setRules, { group: row.seq, announce: 1, locked: 1 })
    return row
  }

  /** Ends a group that has no members left, or that an admin ended for everybody. */
  async function end(tx: Tx, accountId: AccountId, { seq: group, id }: GroupRow): Promise<void> {
    await tx.run(endAnnouncements, { group })
    await tx.run(dissolve, { group })
    await tx.run(forgetTimer, { accountId, id })
    await tx.run(forgetPicture, { accountId, id })
  }

  return {
    /** For other changes in the same commit. */
    within: { getAsMember, add: addOfKind },
    /** A message in the group makes its sender and recipient members. */
    async spokenIn(tx: Tx, accountId: AccountId, id: string, [author, recipient]: [string, string]): Promise<void> {
      const { seq: group } = await ensureGroup(tx, accountId, id, id, author)
      for (const number of [author, recipient]) await tx.run(join, { group, number, admin: 0 })
    },
    list: (accountId: AccountId, number: string): Promise<Group[]> =>
      db.commit(async (tx) => {
        const rows = await tx.all(ofNumber, { accountId, number, limit: MAX_LISTED })
        const groups: Group[] = []
        for (const row of rows) groups.push(await withMembers(tx, row, number))
        return groups
      }),
    get: (accountId: AccountId, number: string, id: string): Promise<Group> =>
      db.commit(async (tx) => (await getAsMember(tx, accountId, number, id)).group),
    /** The numbers of its members; undefined if this number is not a member. */
    async membersFor(accountId: AccountId, number: string, id: string): Promise<string[] | undefined> {
      const row = await db.readOne(byId, { accountId, id })
      const members = row ? await db.read(membersOf, { group: row.seq }) : []
      const numbers = members.map((member) => member.number)
      return numbers.includes(number) ? numbers : undefined
    },
    create: (accountId: AccountId, number: string, name: string, numbers: readonly string[], prefix = 'SANDBOX') =>
      db.commit(async (tx) => {
        const id = newGroupId(prefix)
        const row = await ensureGroup(tx, accountId, id, name, number)
        const results = await changeAll(tx, { row, group: await withMembers(tx, row, number) }, 'add', numbers)
        return { group: await withMembers(tx, row, number), results }
      }),
    change: (accountId: AccountId, number: string, id: string, change: MemberChange, numbers: readonly string[]) =>
      db.commit(async (tx) => changeAll(tx, await getAsChanger(tx, accountId, number, id, change), change, numbers)),
    invite: (accountId: AccountId, number: string, id: string, isRenewed: boolean): Promise<string> =>
      db.commit(async (tx) => {
        const { row } = await getAsAdmin(tx, accountId, number, id)
        const invite = isRenewed ? secretCode() : row.invite
        if (isRenewed) await tx.run(renew, { group: row.seq, invite })
        return `https://chat.sandbox/${invite}`
      }),
    rename: (accountId: AccountId, number: string, id: string, name: string): Promise<void> =>
      db.commit(async (tx) => {
        const { row } = await getAsEditor(tx, accountId, number, id)
        await tx.run(rename, { group: row.seq, name })
      }),
    describe: (accountId: AccountId, number: string, id: string, description: string | null): Promise<void> =>
      db.commit(async (tx) => {
        const { row } = await getAsEditor(tx, accountId, number, id)
        await tx.run(describe, { group: row.seq, description })
      }),
    setRules: (accountId: AccountId, number: string, id: string, rules: GroupRules): Promise<void> =>
      db.commit(async (tx) => {
        const { row } = await getAsAdmin(tx, accountId, number, id)
        const { isAnnounceOnly = row.announce === 1, isLocked = row.locked === 1 } = rules
        await tx.run(setRules, { group: row.seq, announce: isAnnounceOnly ? 1 : 0, locked: isLocked ? 1 : 0 })
      }),
    setJoinRules: (accountId: AccountId, number: string, id: string, rules: JoinRules): Promise<void> =>
      db.commit(async (tx) => {
        const { row } = await getAsAdmin(tx, accountId, number, id)
        const { needsApproval = row.approval === 1, isAddedToByAdmins = row.adminAdd === 1 } = rules
        const adminAdd = isAddedToByAdmins ? 1 : 0
        await tx.run(setJoinRules, { group: row.seq, approval: needsApproval ? 1 : 0, adminAdd })
      }),
    /** Requires a member who may change the picture. */
    requireEditor: async (tx: Tx, accountId: AccountId, number: string, id: string): Promise<void> => {
      await getAsEditor(tx, accountId, number, id)
    },
    joinRequests: (accountId: AccountId, number: string, id: string): Promise<JoinRequest[]> =>
      db.commit(async (tx) => {
        const { row } = await getAsAdmin(tx, accountId, number, id)
        return tx.all(requestsOf, { group: row.seq, limit: MAX_LISTED })
      }),
    answerJoinRequests: (
      accountId: AccountId,
      number: string,
      id: string,
      numbers: readonly string[],
      isApproved: boolean,
    ): Promise<MemberResult[]> =>
      db.commit(async (tx) => {
        const { row, group } = await getAsAdmin(tx, accountId, number, id)
        const results: MemberResult[] = []
        for (const asking of numbers) {
          const at = { group: row.seq, number: asking }
          const isWaiting = (await tx.run(endRequest, at)) === 1
          if (isWaiting && isApproved) await tx.run(join, { ...at, admin: 0 })
          results.push({ number: asking, reason: isWaiting ? null : 'not_requested' })
        }
        const answered = results.filter(({ reason }) => reason === null).map((result) => result.number)
        if (!isApproved && answered.length > 0) {
          const change = { group_id: id, by: number, participants: answered }
          await tellAdmins(tx, accountId, adminsAmong(group.members), { ...change, action: 'rejected' })
        }
        return results
      }),
    /** @throws ApiError invalid_state if an admin has to approve; the request to join is then stored. */
    async join(accountId: AccountId, number: string, invite: string): Promise<string> {
      const { id, waits } = await db.commit((tx) => enter(tx, accountId, number, invite))
      if (!waits) return id
      throw waitsForAdmin()
    },
    /** The same for a phone. */
    enter: (accountId: AccountId, number: string, invite: string): Promise<{ id: string; waits: boolean }> =>
      db.commit((tx) => enter(tx, accountId, number, invite)),
    /** Ends the group for everybody. */
    dissolve: (accountId: AccountId, number: string, id: string): Promise<void> =>
      db.commit(async (tx) => {
        const { row } = await getAsAdmin(tx, accountId, number, id)
        await tx.run(dissolve, { group: row.seq })
      }),
    /** A group that loses its last admin gets another; one that loses its last member ends. */
    leave: (accountId: AccountId, number: string, id: string): Promise<void> =>
      db.commit(async (tx) => {
        const { row, group } = await getAsMember(tx, accountId, number, id)
        await tx.run(leave, { group: row.seq, number })
        const rest = group.members.filter((member) => member.number !== number)
        const [heir] = rest
        if (!heir) await end(tx, accountId, row)
        else if (!rest.some((member) => member.isAdmin))
          await tx.run(appoint, { group: row.seq, number: heir.number, admin: 1 })
      }),
  }
}

const adminsAmong = (members: Group['members']): string[] =>
  members.filter(({ isAdmin }) => isAdmin).map(({ number }) => number)
