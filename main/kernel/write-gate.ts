/** Whether new work may begin at this moment. What was taken before is finished in any case. */
export interface WriteGate {
  isOpen(): boolean
  /** @throws ApiError that says why it is closed. */
  check(): void
}
