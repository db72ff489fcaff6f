/** A program of ours that runs in a process of its own, and exchanges messages with this one. */
export interface ChildProgram<Sent> {
  send(message: Sent): void
  /** Ends it now. */
  kill(): void
}

/** @param onExit is called once, also if it could not be started. The reason is for the log, for example `exit code 1`. */
export type StartChildProgram<Sent, Received> = (
  onMessage: (message: Received) => void,
  onExit: (reason?: string) => void,
) => ChildProgram<Sent>
