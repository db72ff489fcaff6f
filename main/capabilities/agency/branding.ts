import { themeOf } from '../../contract/brand-theme.ts'
import type { Branding, BrandColors } from '../../contract/brand.ts'
import type { Notice } from '../../contract/notice.ts'
import type { Db } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import type { NoticeBus } from '../../kernel/notice-bus.ts'
import { brandOf, namesOf, putBrand, type BrandRow } from './store.ts'

type BrandChange = { [K in keyof Omit<Branding, 'theme'>]?: Branding[K] }

export interface Brands {
  /** The branding for the account's pages; values that it did not set come from its parent. */
  brandOf(accountId: AccountId): Promise<Branding & { readonly name: string }>
  changeBrand(accountId: AccountId, change: BrandChange): Promise<Branding>
}

const NOTHING: BrandRow = { displayName: null, logo: null, colors: null, supportUrl: null, allowedOrigins: null }

export function createBrands({ db, live }: { db: Db; live: Pick<NoticeBus<Notice>, 'publish'> }): Brands {
  const ownOf = async (accountId: AccountId): Promise<BrandRow> => (await db.readOne(brandOf, { accountId })) ?? NOTHING

  const effective: Brands['brandOf'] = async (accountId) => {
    const { name = '', parentId = null } = (await db.readOne(namesOf, { accountId })) ?? {}
    const own = await ownOf(accountId)
    const above = parentId === null ? NOTHING : await ownOf(parentId)
    const inherited = (Object.keys(NOTHING) as (keyof BrandRow)[]).map((key) => [key, own[key] ?? above[key]] as const)
    const brand = toBranding(Object.fromEntries(inherited) as unknown as BrandRow)
    return { ...brand, name: brand.display_name ?? name }
  }

  return {
    brandOf: effective,
    async changeBrand(accountId, change) {
      const { display_name, logo, colors, support_url, allowed_origins } = change
      await db.commit(async (tx) => {
        const before = (await tx.one(brandOf, { accountId })) ?? NOTHING
        const keep = <T>(wanted: T | undefined, had: T): T => (wanted === undefined ? had : wanted)
        await tx.run(putBrand, {
          accountId,
          displayName: keep(display_name, before.displayName),
          logo: keep(logo, before.logo),
          colors: colors === undefined ? before.colors : JSON.stringify(colors),
          supportUrl: keep(support_url, before.supportUrl),
          allowedOrigins: allowed_origins === undefined ? before.allowedOrigins : JSON.stringify(allowed_origins),
        })
        tx.afterCommit(() => live.publish(accountId, { topic: 'agency' }))
      })
      const { name: _name, ...brand } = await effective(accountId)
      return brand
    },
  }
}

function toBranding({ displayName, logo, colors: stored, supportUrl, allowedOrigins }: BrandRow): Branding {
  // The operation's schema checked them before they were stored.
  const colors = stored === null ? {} : (JSON.parse(stored) as BrandColors)
  return {
    ...{ display_name: displayName, logo, colors, support_url: supportUrl, theme: themeOf(colors) },
    allowed_origins: allowedOrigins === null ? [] : (JSON.parse(allowedOrigins) as string[]),
  }
}
