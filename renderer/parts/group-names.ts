/** By the ids of the groups. */
export type GroupNames = ReadonlyMap<string, string>

/** The names that are known, and how many groups have none. People do not recognize a group by its id. */
export function nameGroups(ids: readonly string[], names: GroupNames) {
  const known = ids.flatMap((id) => names.get(id) ?? [])
  return { known, more: ids.length - known.length }
}
