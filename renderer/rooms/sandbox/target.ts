interface Candidate {
  readonly id: string
  readonly connected: boolean
}

/** The first choice offered: a connected instance, else any. It is chosen once and then stays. */
export const firstTarget = (instances: readonly Candidate[]): string | undefined =>
  (instances.find(({ connected }) => connected) ?? instances[0])?.id

/** The instance that is chosen; undefined when it no longer exists. It is never replaced by another. */
export const targetOf = <T extends Candidate>(instances: readonly T[], chosen: string | undefined): T | undefined =>
  instances.find(({ id }) => id === chosen)
