import 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    /** What a fault test saw, for the table of results. */
    observed?: string
  }
}
