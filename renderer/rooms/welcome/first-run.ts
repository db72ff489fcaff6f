import { api } from '../../app/api.ts'

/** Whether nobody has finished or skipped the welcome yet, in any window. One that cannot be asked shows its own problem. */
export async function isFirstRun(): Promise<boolean> {
  try {
    const { account } = await api.get<{ account: { first_run: boolean } }>('/console/overview')
    return account.first_run
  } catch {
    return false
  }
}

/** Leaving never waits for more than an answer: where there is none, the welcome comes once more. */
export async function endFirstRun(): Promise<void> {
  await api.patch('/account', { first_run: false }).catch(() => {})
}
