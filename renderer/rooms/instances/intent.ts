/** One `Idempotency-Key` for one intent: a retry repeats it, another wish gets another. */
export interface Intent {
  keyFor(wish: unknown): string
  /** It was done: the same wish again is a new one. */
  done(): void
}

export function createIntent(newKey: () => string = () => crypto.randomUUID()): Intent {
  let current: { readonly wish: string; readonly key: string } | undefined
  return {
    keyFor(wish) {
      const text = JSON.stringify(wish)
      if (current?.wish !== text) current = { wish: text, key: newKey() }
      return current.key
    },
    done: () => (current = undefined),
  }
}
