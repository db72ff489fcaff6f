import type { Item, Reply } from '../../app/operation-types.ts'

export type GroupRecord = Item<'listGroupChats'>
export type GroupDetails = Reply<'getGroupChat'>
export type ChangedGroup = Reply<'updateGroupChat'>
export type MemberResult = NonNullable<ChangedGroup['results']>[number]

/** The people whom the network did not add, remove or admit. */
export const notDone = ({ results = [] }: Pick<ChangedGroup, 'results'>): readonly MemberResult[] =>
  results.filter(({ done }) => !done)

/** Sorted by name for people; the service sorts by id. */
export const byName = (groups: readonly GroupRecord[]): GroupRecord[] =>
  groups.toSorted((one, other) => one.subject.localeCompare(other.subject))
