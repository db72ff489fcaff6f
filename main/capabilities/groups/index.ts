import { GROUP_ID } from '../../contract/addresses.ts'
import { LIMITS } from '../../contract/limits.ts'
import { isoTime } from '../../contract/request.ts'
import type { DirectActs, Group, MemberResult } from '../../engines/direct.ts'
import type { Engine } from '../../engines/engine.ts'
import { noSuchGroup } from '../../engines/group-rules.ts'
import type { Ids } from '../../kernel/ids.ts'
import { callOnce, type Created, type KeyedDeps } from '../../kernel/keyed-request.ts'
import type { Cursors } from '../../kernel/page.ts'
import { fold } from '../../kernel/search/index.ts'
import { createEngineCalls, isUndone, notSupported, requireConnected } from '../engine-call.ts'
import type { InstanceSubject } from '../handler.ts'
import { guardAdditions, type ReserveAdditions } from '../group-additions.ts'
import { changesOf, type ActFinder } from './changes.ts'
import type {
  ChangedGroup,
  CreateGroupBody,
  GroupDetails,
  GroupQuery,
  GroupRecord,
  GroupsQuery,
  UpdateGroupBody,
} from './contract.ts'

interface GroupList {
  readonly data: GroupRecord[]
  readonly next_cursor: string | null
  readonly has_more: boolean
}

interface CreateCall {
  readonly body: CreateGroupBody
  readonly rawBody: unknown
  readonly idempotencyKey: string | null
}

/**
 * Each function throws ApiError not_ready for an instance that is not connected, engine_mismatch, and errors of the
 * network.
 */
export interface Groups {
  list(instance: InstanceSubject, query: GroupsQuery): Promise<GroupList>
  create(instance: InstanceSubject, call: CreateCall): Promise<Created>
  /** @throws ApiError not_found */
  read(instance: InstanceSubject, id: string, query: GroupQuery): Promise<GroupDetails>
  /** @throws ApiError not_found */
  change(instance: InstanceSubject, id: string, body: UpdateGroupBody): Promise<ChangedGroup>
  /** @throws ApiError not_found */
  leave(instance: InstanceSubject, id: string): Promise<void>
}

export type GroupsDeps = Parameters<typeof createEngineCalls>[0] & {
  readonly db: KeyedDeps['db']
  readonly idempotency: KeyedDeps['idempotency']
  readonly ids: Pick<Ids, 'tagged'>
  readonly cursors: Cursors
  readonly instances: { engineFor(subject: InstanceSubject): Engine }
  readonly reserveAdditions: ReserveAdditions
}

const IS_GROUP = new RegExp(`^${GROUP_ID}$`)

/** The groups of a number, as the network has them. */
export function createGroups({ cursors, ids, instances, reserveAdditions, ...deps }: GroupsDeps): Groups {
  const callEngine = createEngineCalls(deps)

  /** @throws ApiError not_ready, engine_mismatch */
  function actsOf(instance: InstanceSubject): ActFinder {
    requireConnected(instance)
    const { direct = {} } = instances.engineFor(instance)
    return <K extends keyof DirectActs>(name: K): DirectActs[K] => {
      const act = direct[name]
      if (act === undefined) throw notSupported()
      return act
    }
  }

  /** @param progress records the steps, because a failure after the first one leaves a group behind. */
  async function create(
    instance: InstanceSubject,
    { subject, description, participants = [], join_approval: needsApproval }: CreateGroupBody,
    progress: { isCreated: boolean },
  ): Promise<ChangedGroup> {
    const act = actsOf(instance)
    const createGroup = guardAdditions('createGroup', act('createGroup'), (phones) =>
      reserveAdditions(instance, phones),
    )
    const describe = description === undefined ? null : act('describeGroup')
    const { setJoinRules } = instances.engineFor(instance).direct ?? {}
    const made = await callEngine(instance, () => createGroup(instance, subject, participants, needsApproval))
    progress.isCreated = true
    const { results } = made
    const isSetAfterwards = needsApproval !== undefined && setJoinRules !== undefined
    if (isSetAfterwards) await callEngine(instance, () => setJoinRules(instance, made.group.id, { needsApproval }))
    const group = isSetAfterwards ? { ...made.group, needsApproval } : made.group
    if (describe !== null && description !== undefined)
      await callEngine(instance, () => describe(instance, group.id, description))
    return { ...toRecord({ ...group, description: description ?? null }), results: results.map(toResult) }
  }

  return {
    async list(instance, { limit = LIMITS.pageSizeDefault, cursor, q, kind }) {
      const name = `groups ${instance.id}`
      const [after = ''] = cursor === undefined ? [] : cursors.decode(name, cursor)
      const groups = actsOf(instance)('groups')
      const found = await callEngine(instance, () => groups(instance))
      const words = q === undefined ? '' : fold(q)
      // Case folding can leave nothing of a text; it is then searched unchanged.
      const isMatch = (name: string) => (words === '' ? name.includes(q ?? '') : fold(name).includes(words))
      const isWanted = (group: Group) => (kind === undefined || group.kind === kind) && isMatch(group.name)
      const left = found
        .filter((group) => group.id > String(after) && isWanted(group))
        .toSorted((one, other) => (one.id < other.id ? -1 : 1))
      const page = left.slice(0, limit)
      const last = left.length > limit ? page.at(-1) : undefined
      const next = last === undefined ? null : cursors.encode(name, [last.id])
      return { data: page.map(toRecord), next_cursor: next, has_more: next !== null }
    },

    async create(instance, { body, rawBody, idempotencyKey: key }) {
      const { id: scopeId } = instance
      const request = { operation: 'POST groups', scopeId, key, rawBody, subjectId: ids.tagged('grp'), status: 201 }
      const progress = { isCreated: false }
      return callOnce(
        deps,
        request,
        () => create(instance, body, progress),
        (error) => !progress.isCreated && isUndone(error),
      )
    },

    async read(instance, id, { include }) {
      const act = actsOf(instance)
      const group = act('group')
      requireGroup(id)
      const joinRequests = include === 'join_requests' ? act('joinRequests') : null
      return callEngine(instance, async () => {
        const record = toRecord(await group(instance, id))
        if (joinRequests === null) return record
        const found = await joinRequests(instance, id)
        const requests = found.map(({ number, requestedAtMs }) => ({
          ...{ phone: number, requested_at: isoTime(requestedAtMs) },
        }))
        return { ...record, join_requests: requests }
      })
    },

    async change(instance, id, body) {
      const act = actsOf(instance)
      const group = act('group')
      requireGroup(id)
      const changes = changesOf(act, instance, id, body)
      const inviteLink = body.invite_link === undefined ? undefined : act('inviteLink')
      return callEngine(instance, async () => {
        // Fails first if the number is not in the group.
        await group(instance, id)
        const additions = await reserveAdditions(instance, body.add_participants ?? [])
        const results: MemberResult[] = []
        try {
          for (const change of changes) results.push(...(await change(additions)))
        } finally {
          await additions.giveBack()
        }
        const link = inviteLink && (await inviteLink(instance, id, body.invite_link === 'renew'))
        return {
          ...toRecord(await group(instance, id)),
          ...(results.length > 0 && { results: results.map(toResult) }),
          ...(link !== undefined && { invite_link: link }),
        }
      })
    },

    async leave(instance, id) {
      const leave = actsOf(instance)('leaveGroup')
      requireGroup(id)
      await callEngine(instance, () => leave(instance, id))
    },
  }
}

function requireGroup(id: string): void {
  if (IS_GROUP.test(id)) return
  throw noSuchGroup()
}

const toRecord = (group: Group): GroupRecord => ({
  group: group.id,
  kind: group.kind,
  community: group.communityId,
  admin: group.isOwnAdmin,
  subject: group.name,
  description: group.description,
  owner: group.owner,
  announce: group.isAnnounceOnly,
  locked: group.isLocked,
  join_approval: group.needsApproval,
  member_add: group.isAddedToByAdmins ? 'admins' : 'everyone',
  participants: group.members.map(({ number, isAdmin }) => ({ phone: number, admin: isAdmin })),
  created_at: isoTime(group.createdAtMs),
})

const toResult = ({ number, reason }: MemberResult) => ({ phone: number, done: reason === null, reason })
