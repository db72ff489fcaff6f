/** `look`: it works, but a person should know about it. `broken`: it does not work, and a person must act. */
export type FindingState = 'well' | 'look' | 'broken'

/** The result of one check. */
export interface Finding {
  readonly subject: string
  readonly state: FindingState
  /** A sentence for the person at the terminal. */
  readonly says: string
}

export const ok = (subject: string, says: string): Finding => ({ subject, state: 'well', says })
export const warning = (subject: string, says: string): Finding => ({ subject, state: 'look', says })
export const broken = (subject: string, says: string): Finding => ({ subject, state: 'broken', says })
