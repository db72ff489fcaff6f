import { call } from '../../app/api.ts'

/**
 * Whether nobody has finished or skipped the welcome yet, in any window. Returns false if the service does not
 * answer.
 */
export async function isFirstRun(): Promise<boolean> {
  try {
    const { account } = await call('getOverview')
    return account.first_run
  } catch {
    return false
  }
}

/** Errors are ignored: the person can leave, and the welcome is shown once more. */
export async function endFirstRun(): Promise<void> {
  await call('updateAccount', { body: { first_run: false } }).catch(() => {})
}
