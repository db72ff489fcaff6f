import { yieldToEventLoop } from '../../kernel/yield-to-event-loop.ts'

/**
 * Admits one caller per turn of the event loop. Preparing a request to a model takes milliseconds, and a hundred
 * chats at the same moment must not delay API callers.
 */
export function createTurnstile(): () => Promise<void> {
  let last: Promise<void> = Promise.resolve()
  return () => {
    last = last.then(yieldToEventLoop)
    return last
  }
}
