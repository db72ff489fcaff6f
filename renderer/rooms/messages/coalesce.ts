/**
 * Makes a function that never runs twice in parallel. Any number of calls during a run cause one further run
 * afterwards.
 * @returns a promise that settles when a run that began after the call has ended.
 */
export function coalesce(act: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  return function run(): Promise<void> {
    if (running === undefined) {
      running = act().finally(() => (running = undefined))
      return running
    }
    next ??= running
      .catch(() => {})
      .then(() => {
        next = undefined
        return run()
      })
    return next
  }
}
