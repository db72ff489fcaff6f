/** Resolves when everybody else who waits for this thread has had a turn. */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))
