import type { Principal } from '../../main/kernel/access.ts'
import type { Reply, World } from './world.ts'

/** The console of the account: in-process, without a key. */
const consoleOf = ({ account }: Pick<World, 'account'>): Principal => ({
  kind: 'console',
  role: 'operator',
  accountId: account.id,
  accountName: account.name,
  key: null,
  scopes: [],
  allowedInstanceIds: null,
  ratePerMinute: 1_000_000,
  source: 'console',
})

/**
 * One request as the window makes it.
 * @param account of a client, in which an operator works; default: their own. With `role`, somebody who is no operator.
 */
export const asConsole =
  (w: World, account: Partial<Pick<Principal, 'accountId' | 'accountName' | 'role'>> = {}) =>
  (method: string, path: string, body?: unknown): Promise<Omit<Reply, 'text' | 'headers'> & { headers: object }> =>
    w.service.door.call({ ...consoleOf(w), ...account }, { method, path, ...(body === undefined ? {} : { body }) })
