import type { Cursors } from '../../kernel/page.ts'
import { room } from '../room.ts'
import { accountContract } from './contract.ts'
import { accountHandlers } from './handlers.ts'
import { createAccounts, type AccountsDeps } from './index.ts'

export function accountRoom(deps: AccountsDeps & { readonly cursors: Cursors }) {
  const accounts = createAccounts(deps)
  return room({
    name: 'account',
    contract: accountContract,
    handlers: accountHandlers(accounts, deps.cursors),
    api: accounts,
    recover: accounts.loadSuspended,
    close: accounts.close,
  })
}
