const KEPT_AS = 'switchboard.welcome'

/** Whether the first run was finished or skipped in this window. */
export const isWelcomeOver = (): boolean => localStorage.getItem(KEPT_AS) === 'over'

export const endWelcome = (): void => localStorage.setItem(KEPT_AS, 'over')
