import { yieldToEventLoop } from './yield-to-event-loop.ts'

/** Long work in short steps: at each `yield`, others can have a turn. */
export type Steps<T> = Generator<undefined, T>

/** Others have a turn after every step. */
export async function takingTurns<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
    await yieldToEventLoop()
  }
}

/** Without a pause. */
export function allAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}
