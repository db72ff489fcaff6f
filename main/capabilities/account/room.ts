import type { Cursors } from '../../kernel/page.ts'
import { defineRoom } from '../room.ts'
import { accountContract } from './contract.ts'
import { accountHandlers } from './handlers.ts'
import { createAccounts, type AccountsDeps } from './index.ts'

interface Deps extends Omit<AccountsDeps, 'ratePerMinute' | 'timeZone'> {
  readonly cursors: Cursors
  /** Read on each use. */
  readonly config: { readonly ratePerMinute: number; readonly safetyTimezone: string }
}

export const accountRoom = defineRoom({
  name: 'account',
  contract: accountContract,
  uses: {},
  build({ config, ...deps }: Deps) {
    const accounts = createAccounts({
      ...deps,
      get ratePerMinute() {
        return config.ratePerMinute
      },
      get timeZone() {
        return config.safetyTimezone
      },
    })
    return {
      handlers: accountHandlers(accounts, deps.cursors),
      api: accounts,
      recover: accounts.loadSuspended,
      close: accounts.close,
    }
  },
})
