import type { Db } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { insertMeta, readMeta } from '../../kernel/meta.ts'
import type { SetupStep } from './contract.ts'
import { hasSent } from './store.ts'

/** Facts from other rooms about the first steps. */
export type SetupFacts = Readonly<Record<Exclude<SetupStep, 'message'>, boolean>>

interface SetupDeps {
  readonly db: Db
  readonly setup: (accountId: AccountId) => Promise<SetupFacts>
}

const ORDER: readonly SetupStep[] = ['number', 'message', 'webhook', 'key', 'assistant']

const nameOf = (accountId: AccountId) => `setup_dismissed:${accountId}`

/** The checklist of first steps. */
export function createSetup({ db, setup }: SetupDeps) {
  return {
    async read(accountId: AccountId) {
      const facts = { ...(await setup(accountId)), message: (await db.readOne(hasSent, { accountId })) !== undefined }
      return {
        done: ORDER.filter((step) => facts[step]),
        dismissed: (await readMeta(db, nameOf(accountId))) !== undefined,
      }
    },
    dismiss: (accountId: AccountId) => db.commit((tx) => insertMeta(tx, nameOf(accountId), 'yes')),
  }
}
