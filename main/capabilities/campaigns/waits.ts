/** A wait is checked again after this time, since settings and clocks can change. */
export const LOOK_AGAIN_MS = 600_000
