import type { App } from 'electron'

interface QuitDeps {
  readonly app: Pick<App, 'on' | 'quit'>
  /** From now on the window may close. */
  readonly release: () => void
  /** Asks the person if quitting would lose something; true if it would not. */
  readonly mayQuit: () => true | Promise<boolean>
  /** The person stays. */
  readonly onStay: () => void
  /** Takes away what the person sees and could press. */
  readonly hideAll: () => void
  /** Finishes what is under way in the service and writes it down. Never rejects for long: it has limits of its own. */
  readonly drain: () => Promise<void>
}

export interface QuitSequence {
  isQuitting(): boolean
  /** Drains without quitting: what comes next ends the app. Repeated, it waits for the same. */
  finish(): Promise<void>
  /** The system is going down: nothing is held back any more. A kill loses nothing, holding up a shutdown does harm. */
  allowQuit(): void
}

/**
 * Quitting takes two rounds: the first is held back until the service has drained, the second ends the app. It does not
 * matter who begins: the menu, the tray, the system, the question when the window closes, or all of them at once.
 */
export function createQuitSequence({ app, release, mayQuit, onStay, hideAll, drain }: QuitDeps): QuitSequence {
  let draining: Promise<void> | undefined
  let isDrained = false
  let isAsking = false

  function finish(): Promise<void> {
    release()
    draining ??= drain()
      // A service that cannot close must not keep the app: what counts is on disk already.
      .catch(() => {})
      .then(() => void (isDrained = true))
    return draining
  }

  app.on('before-quit', (event) => {
    if (isDrained) return release()
    event.preventDefault()
    if (draining !== undefined || isAsking) return
    const answer = mayQuit()
    if (answer === true) leave()
    else void waitFor(answer)
  })

  async function waitFor(answer: Promise<boolean>): Promise<void> {
    isAsking = true
    const isAgreed = await answer
    isAsking = false
    // The system may have begun to go down meanwhile.
    if (draining !== undefined) return
    if (isAgreed) leave()
    else onStay()
  }

  function leave(): void {
    hideAll()
    void finish().then(() => app.quit())
  }

  return {
    isQuitting: () => draining !== undefined,
    finish,
    allowQuit() {
      isDrained = true
      void finish()
    },
  }
}
