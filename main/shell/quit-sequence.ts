import type { App } from 'electron'

interface QuitDeps {
  readonly app: Pick<App, 'on' | 'quit'>
  /** From now on the window may close. */
  readonly release: () => void
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
export function createQuitSequence({ app, release, hideAll, drain }: QuitDeps): QuitSequence {
  let draining: Promise<void> | undefined
  let isDrained = false

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
    if (draining !== undefined) return
    hideAll()
    void finish().then(() => app.quit())
  })

  return {
    isQuitting: () => draining !== undefined,
    finish,
    allowQuit() {
      isDrained = true
      void finish()
    },
  }
}
