/** Notices about the service and this computer. The texts of the window are under `settings.notice`. */
export const SERVICE_NOTICES = [
  ...(['sealed', 'vault', 'exposed', 'graph_simulated', 'graph_version'] as const),
  ...(['disk_failed', 'disk_low', 'disk_full', 'database_damaged', 'data_lost'] as const),
  ...(['network', 'log_not_written', 'calls_failing'] as const),
] as const

export interface ServiceNotice {
  readonly code: (typeof SERVICE_NOTICES)[number]
  /** The notice as an English sentence, with paths and figures: for the log, the terminal and diagnostics. */
  readonly text: string
}
