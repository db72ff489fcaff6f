/** Connection counts of the numbers, for the tray and the badge. */
export interface Counts {
  readonly total: number
  readonly connected: number
  /** Numbers that do not reconnect until a person acts. */
  readonly lost: number
}
