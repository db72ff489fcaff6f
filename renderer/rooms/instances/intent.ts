/** One `Idempotency-Key` per intent: a retry repeats it, another request gets a new one. */
export interface Intent {
  keyFor(request: unknown): string
  /** Called after a success: the same request again is then a new intent. */
  done(): void
}

export function createIntent(newKey: () => string = () => crypto.randomUUID()): Intent {
  let current: { readonly wish: string; readonly key: string } | undefined
  return {
    keyFor(request) {
      const text = JSON.stringify(request)
      if (current?.wish !== text) current = { wish: text, key: newKey() }
      return current.key
    },
    done: () => (current = undefined),
  }
}
