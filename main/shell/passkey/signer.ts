import type { PasskeyRequest, SignOutcome } from '../../contract/window-bridge.ts'
import type { Clock } from '../../kernel/clock.ts'
import { startTimeout } from '../../kernel/timeout.ts'
import { parseOutcome, signingExpression, type SigningPage } from './signing.ts'

interface SignerDeps {
  readonly clock: Pick<Clock, 'mono' | 'after'>
  /** Ways to open the page, best first. Each resolves with undefined if its browser is not available. */
  readonly ways: readonly (() => Promise<SigningPage | undefined>)[]
}

/** How long WhatsApp waits for an answer. */
const ANSWER_MS = 600_000

export interface PasskeySigner {
  sign(request: PasskeyRequest): Promise<SignOutcome>
  /** Resolves when every page is closed. */
  close(): Promise<void>
}

/** Asks for a passkey in a page opened for this purpose. Answers are not kept. */
export function createPasskeySigner({ clock, ways }: SignerDeps): PasskeySigner {
  let current: { readonly dismiss: () => void; readonly ended: Promise<unknown> } | undefined

  /**
   * Tries the next way only if the page could not ask for the passkey. If the person dismissed the prompt, nothing is
   * retried.
   */
  async function signSomehow(request: PasskeyRequest, dismissed: Promise<SignOutcome>): Promise<SignOutcome> {
    for (const open of ways) {
      const outcome = await signOnce(open, request, dismissed)
      if (outcome.kind !== 'unavailable') return outcome
    }
    return { kind: 'unavailable' }
  }

  async function signOnce(
    open: SignerDeps['ways'][number],
    request: PasskeyRequest,
    dismissed: Promise<SignOutcome>,
  ): Promise<SignOutcome> {
    const opening = open().catch(() => undefined)
    try {
      return await Promise.race([dismissed, answerIn(opening, request)])
    } finally {
      await opening.then((page) => page?.close()).catch(() => {})
    }
  }

  async function close(): Promise<void> {
    current?.dismiss()
    await current?.ended
  }

  return {
    async sign(request) {
      current?.dismiss()
      const { promise, resolve } = Promise.withResolvers<SignOutcome>()
      const dismiss = () => resolve({ kind: 'dismissed' })
      const timeout = startTimeout(clock, ANSWER_MS, dismiss)
      const ended = signSomehow(request, promise).finally(() => timeout.cancel())
      current = { dismiss, ended }
      return ended
    },
    close,
  }
}

async function answerIn(opening: Promise<SigningPage | undefined>, request: PasskeyRequest): Promise<SignOutcome> {
  const page = await opening
  if (!page) return { kind: 'unavailable' }
  const gone = page.gone.then((): SignOutcome => ({ kind: 'dismissed' }))
  const answered = page.evaluate(signingExpression(request)).then(parseOutcome, () => undefined)
  // Closing the page rejects the evaluation before `gone` resolves.
  const first = await Promise.race([answered, gone])
  return first ?? { kind: 'dismissed' }
}
