let pendingPrompts = 0

/** Makes a call of the system that may wait for a person, such as one that opens a prompt. */
export async function withPendingPrompt<T>(call: () => Promise<T>): Promise<T> {
  pendingPrompts++
  try {
    return await call()
  } finally {
    pendingPrompts--
  }
}

/**
 * To be called last. Such a call cannot be broken off and keeps a thread of Node's pool, which every exit waits for:
 * with one open the process would stay, without a window and unnoticed, until the prompt is answered (tried).
 */
export function killIfPromptPending(): void {
  if (pendingPrompts > 0) process.kill(process.pid, 'SIGKILL')
}

/** Ends the process now. Everything must have been written before. */
export function exitProcess(code: number): never {
  killIfPromptPending()
  process.exit(code)
}
