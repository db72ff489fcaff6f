/** Whether log lines are kept. */
export interface LogHealth {
  /** What is wrong and what to do, for a person; null while every line is kept. */
  problem(): string | null
  /** Called when `problem` changes between null and a text. */
  onChange(listener: () => void): void
}

/** The event of a line in a file or on standard error: lines before it could not be written. */
export const LINES_LOST = 'log.lines_lost'
