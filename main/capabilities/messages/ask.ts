import type { SendOutcome } from '../../engines/engine.ts'
import type { Clock } from '../../kernel/clock.ts'
import { deadline } from '../../kernel/deadline.ts'
import { cause, type Log } from '../../kernel/log.ts'

/** An engine that hears the signal gets this long to say what it knows, for example that nothing left. */
const GRACE_MS = 500

export interface Asking {
  readonly clock: Clock
  readonly log: Log
  readonly timeoutMs: number
  /** Told the outcome when the engine settles after the caller was answered. */
  readonly onLate: (outcome: SendOutcome) => void
}

/**
 * Asks an engine to send, and answers in any case: an engine that throws, or that neither answers nor hears the signal
 * at the deadline, leaves the outcome unknown. It is never asked twice.
 */
export function ask(
  { clock, log, timeoutMs, onLate }: Asking,
  send: (signal: AbortSignal) => Promise<SendOutcome>,
): Promise<SendOutcome> {
  const controller = new AbortController()
  return new Promise((resolve) => {
    let isAnswered = false
    const giveUp = () => {
      isAnswered = true
      resolve({ kind: 'unknown', message: `The engine did not answer within ${timeoutMs / 1_000} seconds.` })
    }
    let timer = deadline(clock, timeoutMs, () => {
      controller.abort()
      timer = deadline(clock, GRACE_MS, giveUp)
    })
    void outcomeOf(send, controller.signal, log).then((outcome) => {
      timer.cancel()
      if (isAnswered) onLate(outcome)
      else resolve(outcome)
    })
  })
}

/** Whatever an engine throws says nothing about what left the machine. */
async function outcomeOf(
  send: (signal: AbortSignal) => Promise<SendOutcome>,
  signal: AbortSignal,
  log: Log,
): Promise<SendOutcome> {
  try {
    return await send(signal)
  } catch (error) {
    log.error({ event: 'message.engine_threw', cause: cause(error) })
    return { kind: 'unknown', message: 'The engine failed while it was sending.' }
  }
}
