/** Runs acts on the same subject one after another. Acts on different subjects do not wait for each other. */
export type RunExclusive = <T>(subject: string, act: () => Promise<T>) => Promise<T>

/**
 * A call commits a status and then tells the engine. Without turns a disconnect and a restart could commit in one
 * order and reach the engine in the other, and the link would stand against the status.
 */
export function createKeyedMutex(): RunExclusive {
  const last = new Map<string, Promise<unknown>>()
  return async (subject, act) => {
    const before = last.get(subject)
    // A failure is reported to its own caller only, not to the next one.
    const mine = before ? before.then(act, act) : act()
    last.set(subject, mine)
    try {
      return await mine
    } finally {
      if (last.get(subject) === mine) last.delete(subject)
    }
  }
}
