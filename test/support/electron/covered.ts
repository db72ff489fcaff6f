/** What a test can ask about afterwards: the app asked the system for it. */
export interface Recorded {
  readonly what: string
  readonly given: readonly unknown[]
}

export const record: Recorded[] = []

/** An action of the system that is only written down. */
export const recorded =
  (what: string) =>
  (...given: readonly unknown[]): void =>
    void record.push({ what, given })

/**
 * What is not covered throws: a test must never pass because the stand-in shrugged. Symbols and promise probing are the
 * language's own.
 */
export function covered<T extends object>(name: string, members: T): T {
  return new Proxy(members, {
    get(target, key, receiver): unknown {
      if (typeof key === 'symbol' || key === 'then' || key in target) {
        const value: unknown = Reflect.get(target, key, receiver)
        return typeof value === 'function' ? (value as (...given: unknown[]) => unknown).bind(target) : value
      }
      throw new Error(`electron stand-in: ${name}.${key} is not covered`)
    },
  })
}
