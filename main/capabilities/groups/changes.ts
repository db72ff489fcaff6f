import type { DirectActs, MemberResult } from '../../engines/direct.ts'
import type { InstanceSubject } from '../handler.ts'
import type { Reservation } from '../group-additions.ts'
import type { UpdateGroupBody } from './contract.ts'

/** Finds a function of an engine. @throws ApiError engine_mismatch */
export type ActFinder = <K extends keyof DirectActs>(name: K) => DirectActs[K]

/** @returns the result for each named person. */
type Change = (additions: Reservation) => Promise<readonly MemberResult[]>

const MEMBER_CHANGES = {
  add_participants: 'add',
  remove_participants: 'remove',
  add_admins: 'promote',
  remove_admins: 'demote',
} as const

/**
 * The changes that a request body asks for, in order, none of them made yet.
 * @throws ApiError engine_mismatch if the engine does not support one of them.
 */
export function changesOf(act: ActFinder, instance: InstanceSubject, id: string, body: UpdateGroupBody): Change[] {
  return [
    ...nameChanges(act, instance, id, body),
    ...ruleChanges(act, instance, id, body),
    ...memberChanges(act, instance, id, body),
  ]
}

function nameChanges(
  act: ActFinder,
  instance: InstanceSubject,
  id: string,
  { subject, description }: UpdateGroupBody,
): Change[] {
  const changes: Change[] = []
  if (subject !== undefined) {
    const rename = act('renameGroup')
    changes.push(() => rename(instance, id, subject).then(noResults))
  }
  if (description !== undefined) {
    const describe = act('describeGroup')
    changes.push(() => describe(instance, id, description).then(noResults))
  }
  return changes
}

function ruleChanges(
  act: ActFinder,
  instance: InstanceSubject,
  id: string,
  { announce, locked, join_approval: needsApproval, member_add: memberAdd }: UpdateGroupBody,
): Change[] {
  const changes: Change[] = []
  if (announce !== undefined || locked !== undefined) {
    const setRules = act('setGroupRules')
    const rules = {
      ...(announce !== undefined && { isAnnounceOnly: announce }),
      ...(locked !== undefined && { isLocked: locked }),
    }
    changes.push(() => setRules(instance, id, rules).then(noResults))
  }
  if (needsApproval !== undefined || memberAdd !== undefined) {
    const setJoinRules = act('setJoinRules')
    const rules = {
      ...(needsApproval !== undefined && { needsApproval }),
      ...(memberAdd !== undefined && { isAddedToByAdmins: memberAdd === 'admins' }),
    }
    changes.push(() => setJoinRules(instance, id, rules).then(noResults))
  }
  return changes
}

function memberChanges(act: ActFinder, instance: InstanceSubject, id: string, body: UpdateGroupBody): Change[] {
  const changes: Change[] = []
  for (const [field, change] of Object.entries(MEMBER_CHANGES)) {
    const phones = body[field as keyof typeof MEMBER_CHANGES]
    if (phones === undefined) continue
    const changeMembers = act('changeMembers')
    const make = () => changeMembers(instance, id, change, phones)
    changes.push((additions) => (change === 'add' ? additions.during(make, (results) => results) : make()))
  }
  for (const [phones, isApproved] of [[body.approve_requests, true] as const, [body.reject_requests, false] as const]) {
    if (phones === undefined) continue
    const answer = act('answerJoinRequests')
    changes.push(() => answer(instance, id, phones, isApproved))
  }
  return changes
}

const noResults = (): readonly MemberResult[] => []
