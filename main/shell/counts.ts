/** How the numbers are, as the tray and the badge show it. */
export interface Counts {
  readonly total: number
  readonly connected: number
  /** Those that do not come back unless a person does something. */
  readonly lost: number
}
