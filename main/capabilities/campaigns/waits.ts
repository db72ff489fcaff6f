/** A wait is looked at again after this, since settings and clocks change. */
export const LOOK_AGAIN_MS = 600_000
