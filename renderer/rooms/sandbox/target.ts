interface Candidate {
  readonly id: string
  readonly connected: boolean
}

/** The default choice: a connected instance, otherwise any. It is chosen once and does not change later. */
export const firstTarget = (instances: readonly Candidate[]): string | undefined =>
  (instances.find(({ connected }) => connected) ?? instances[0])?.id

/** The chosen instance; undefined if it no longer exists. It is never replaced by another. */
export const targetOf = <T extends Candidate>(instances: readonly T[], chosen: string | undefined): T | undefined =>
  instances.find(({ id }) => id === chosen)
