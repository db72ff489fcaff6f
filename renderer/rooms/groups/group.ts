import type { Item, Reply } from '../../app/operation-types.ts'

export type GroupRecord = Item<'listGroupChats'>
export type GroupDetails = Reply<'getGroupChat'>
export type ChangedGroup = Reply<'updateGroupChat'>
export type MemberResult = NonNullable<ChangedGroup['results']>[number]

/** Those whom the network did not add, remove or let in. */
export const notDone = ({ results = [] }: Pick<ChangedGroup, 'results'>): readonly MemberResult[] =>
  results.filter(({ done }) => !done)

/** As a person looks for them: the service has them in the order of their ids. */
export const byName = (groups: readonly GroupRecord[]): GroupRecord[] =>
  groups.toSorted((one, other) => one.subject.localeCompare(other.subject))
