import { yieldToEventLoop } from '../../kernel/yield-to-event-loop.ts'

/**
 * Lets one through in each turn of the event loop. Preparing a request to a model takes milliseconds, and a hundred chats
 * that come at the same moment must not hold up callers of the API meanwhile.
 */
export function createTurnstile(): () => Promise<void> {
  let last: Promise<void> = Promise.resolve()
  return () => {
    last = last.then(yieldToEventLoop)
    return last
  }
}
