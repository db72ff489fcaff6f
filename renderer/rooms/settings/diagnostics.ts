/**
 * Data that may be shared with people who help. The service decides what its part contains; the window adds what only
 * it knows.
 */
export interface Diagnostics {
  readonly made_at: string
  readonly window: { readonly language: string; readonly browser: string; readonly size: string }
  /** null if the service did not answer. */
  readonly service: object | null
}

export const toDiagnostics = (service: object | null, window: Diagnostics['window'], nowMs: number): Diagnostics => ({
  made_at: new Date(nowMs).toISOString(),
  window,
  service,
})
