import type { Db, Tx } from '../../kernel/db.ts'
import type { AccountId, Random } from '../../kernel/ids.ts'
import { ghlId } from './ids.ts'
import {
  companyByPage,
  companyOf,
  insertCompany,
  insertLocation,
  locationById,
  locationsOf,
  renewPages,
  type Company,
  type Location,
} from './store.ts'

export type Companies = ReturnType<typeof createCompanies>

const LOCATIONS = ['Main office', 'Second office'] as const

/** Each account has an agency with two locations, created on first use. */
export function createCompanies({ db, random }: { readonly db: Db; readonly random: Random }) {
  const newToken = () => random.bytes(18).toString('base64url')
  const make = (accountId: AccountId): Promise<Company> => {
    const fresh = { accountId, companyId: ghlId(random), pageToken: newToken() }
    const locations = LOCATIONS.map((name, position) => ({
      ...{ id: ghlId(random), accountId, position, name },
      privateToken: `pit-sandbox-${random.bytes(18).toString('hex')}`,
    }))
    return db.commit(async (tx) => {
      if ((await tx.run(insertCompany, fresh)) > 0) for (const one of locations) await tx.run(insertLocation, one)
      return (await tx.one(companyOf, { accountId })) ?? fresh
    })
  }

  return {
    of: async (accountId: AccountId): Promise<Company> =>
      (await db.readOne(companyOf, { accountId })) ?? make(accountId),
    ofPage: (pageToken: string): Promise<Company | undefined> => db.readOne(companyByPage, { pageToken }),
    /** Invalidates the URL of its pages for everybody who knew it. */
    async endPages(tx: Tx, accountId: AccountId): Promise<void> {
      await tx.run(renewPages, { accountId, pageToken: newToken() })
    },
    locations: (accountId: AccountId): Promise<Location[]> => db.read(locationsOf, { accountId }),
    location: (id: string): Promise<Location | undefined> => db.readOne(locationById, { id }),
  }
}
