import type { SendOutcome } from '../../engines/engine.ts'
import type { Clock } from '../../kernel/clock.ts'
import { startTimeout } from '../../kernel/timeout.ts'
import { cause, type Log } from '../../kernel/log.ts'

/** After the abort signal an engine has this long to report what it knows, for example that nothing was sent. */
const GRACE_MS = 500

/** The engine did not react to the abort signal. It may still be sending. */
export const NO_ANSWER: SendOutcome = { kind: 'unknown', message: 'The engine did not answer.' }

interface DeadlineDeps {
  readonly clock: Clock
  readonly log: Log
  readonly timeoutMs: number
}

interface Send {
  readonly send: (signal: AbortSignal) => Promise<SendOutcome>
  /** Called with the outcome if the engine settles after `GAVE_UP` was returned. */
  readonly onLate: (outcome: SendOutcome) => void
}

/**
 * Asks an engine to send, and answers in any case: an engine that throws, or that neither answers nor honours the signal
 * at the deadline, leaves the outcome unknown. It is never asked twice.
 */
export function sendWithDeadline(
  { clock, log, timeoutMs }: DeadlineDeps,
  { send, onLate }: Send,
): Promise<SendOutcome> {
  const controller = new AbortController()
  return new Promise((resolve) => {
    let hasGivenUp = false
    const giveUp = () => {
      hasGivenUp = true
      resolve(NO_ANSWER)
    }
    let timer = startTimeout(clock, timeoutMs, () => {
      controller.abort()
      timer = startTimeout(clock, GRACE_MS, giveUp)
    })
    void outcomeOf(send, controller.signal, log).then((outcome) => {
      timer.cancel()
      if (hasGivenUp) onLate(outcome)
      else resolve(outcome)
    })
  })
}

/** An error of an engine does not say whether the message left the machine. */
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
