/** Compares JSON values. */
export const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/**
 * The changed fields of a form; only these are sent. The service might refuse unchanged ones, for example because the
 * account is held, the URL no longer resolves, or the agent was deleted. Another window may also have changed them.
 * @param before the stored fields.
 */
export function changedFields<T extends object>(before: Partial<T>, after: T): Partial<T> {
  const names = Object.keys(after) as (keyof T)[]
  const changed = names.filter((name) => !isSame(before[name], after[name])).map((name) => [name, after[name]] as const)
  return Object.fromEntries(changed) as Partial<T>
}
