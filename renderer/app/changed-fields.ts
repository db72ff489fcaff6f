/** Compares JSON values. */
export const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/**
 * The fields of a form that were changed; only these are sent. The service might refuse the others, for example because the
 * account is held, the address no longer resolves, or the agent was deleted. Another window may also have changed them.
 * @param before the fields as they are stored.
 */
export function changedFields<T extends object>(before: Partial<T>, after: T): Partial<T> {
  const names = Object.keys(after) as (keyof T)[]
  const changed = names.filter((name) => !isSame(before[name], after[name])).map((name) => [name, after[name]] as const)
  return Object.fromEntries(changed) as Partial<T>
}
