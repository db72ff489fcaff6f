import type { App } from 'electron'

interface QuitDeps {
  readonly app: Pick<App, 'on' | 'quit'>
  /** Lets the window close from now on. */
  readonly release: () => void
  /** Asks the person if quitting would lose something; true if nothing would be lost. */
  readonly mayQuit: () => true | Promise<boolean>
  /** The person cancelled quitting. */
  readonly onStay: () => void
  /** Hides everything that the person could click. */
  readonly hideAll: () => void
  /** Finishes running work in the service and stores it. It has its own time limits, so it always settles. */
  readonly drain: () => Promise<void>
}

export interface QuitSequence {
  isQuitting(): boolean
  /** Drains without quitting; the caller then ends the app. Further calls wait for the same drain. */
  finish(): Promise<void>
  /**
   * The system is shutting down: nothing is delayed any longer. A kill loses nothing, but delaying a shutdown causes
   * problems.
   */
  allowQuit(): void
}

/**
 * Quitting takes two rounds: the first is delayed until the service has drained, and the second ends the app. It does
 * not matter what starts it: the menu, the tray, the system, the question when the window closes, or several of
 * these.
 */
export function createQuitSequence({ app, release, mayQuit, onStay, hideAll, drain }: QuitDeps): QuitSequence {
  let draining: Promise<void> | undefined
  let isDrained = false
  let isAsking = false

  function finish(): Promise<void> {
    release()
    draining ??= drain()
      // A service that cannot close must not keep the app running: everything important is already on disk.
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
    // The system may have started to shut down meanwhile.
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
