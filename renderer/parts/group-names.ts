/** By group id. */
export type GroupNames = ReadonlyMap<string, string>

/** The known names, and the number of groups without one. People do not recognize a group by its id. */
export function nameGroups(ids: readonly string[], names: GroupNames) {
  const known = ids.flatMap((id) => names.get(id) ?? [])
  return { known, more: ids.length - known.length }
}
