import { ApiError } from '../../contract/errors.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { PHONE_COUNTRIES } from '../../kernel/phone-number.ts'
import type { Settings, SettingsPatch } from './contract.ts'
import {
  createKeywordTable,
  DEFAULT_KEYWORDS,
  foldKeyword,
  maybeWords,
  type Keywords,
  type KeywordTable,
} from './keywords.ts'
import { saveSettings, settingsOf } from './store.ts'

interface Stored {
  readonly country: string | null
  readonly changed: Readonly<Record<string, Keywords>>
  readonly table: KeywordTable
  /** As the account wrote them. */
  readonly buttons: readonly string[]
  /** The same, case-folded. */
  readonly stopButtons: ReadonlySet<string>
}

/** Limit of cached accounts, more than one home has; the cache is then cleared. */
const KNOWN = 1_000

export type OptOutSettings = ReturnType<typeof createSettings>

/** The words of each account, cached because every incoming message is compared with them. */
export function createSettings(db: Db) {
  const known = new Map<AccountId, Stored>()
  let changes = 0

  const read = async (reader: Pick<Tx, 'one'>, accountId: AccountId): Promise<Stored> => {
    const found = known.get(accountId)
    if (found !== undefined) return found
    const before = changes
    const row = await reader.one(settingsOf, { accountId })
    const changed = JSON.parse(row?.keywords ?? '{}') as Stored['changed']
    const buttons = JSON.parse(row?.buttons ?? '[]') as Stored['buttons']
    const stopButtons = new Set(buttons.map(foldKeyword).filter((button) => button !== ''))
    const stored = { country: row?.country ?? null, changed, table: createKeywordTable(changed), buttons, stopButtons }
    if (known.size >= KNOWN) known.clear()
    // A result that was read before a change is outdated.
    if (before === changes) known.set(accountId, stored)
    return stored
  }

  const outside = { one: db.readOne }

  return {
    /** The account's own words, or the product's. */
    keywords: async (tx: Pick<Tx, 'one'>, accountId: AccountId): Promise<KeywordTable> =>
      (await read(tx, accountId)).table,
    /** Case-folded titles and ids of buttons and list rows that opt out. */
    buttons: async (tx: Pick<Tx, 'one'>, accountId: AccountId): Promise<ReadonlySet<string>> =>
      (await read(tx, accountId)).stopButtons,
    country: async (accountId: AccountId): Promise<string | null> => (await read(outside, accountId)).country,
    get: async (accountId: AccountId): Promise<Settings> => toRecord(await read(outside, accountId)),

    async update(accountId: AccountId, { country, keywords = [], buttons }: SettingsPatch): Promise<Settings> {
      if (country !== undefined && country !== null && !PHONE_COUNTRIES.includes(country)) {
        throw new ApiError(
          'validation_error',
          `country ${country} is not a country with phone numbers. Use an ISO 3166 code, for example BR.`,
        ).because('country_unknown', { country })
      }
      await db.commit(async (tx) => {
        const row = await tx.one(settingsOf, { accountId })
        const before = JSON.parse(row?.keywords ?? '{}') as Stored['changed']
        const given = keywords.map(({ language, words }) => {
          // A caller that does not know these words leaves them unchanged.
          const maybe = words?.maybe ?? before[language]?.maybe
          return [language, words && { ...words, ...(maybe && { maybe }) }] as const
        })
        const next = { ...before, ...Object.fromEntries(given) }
        const changed = Object.fromEntries(
          Object.entries(next).filter(([, words]) => words !== null),
        ) as Stored['changed']
        refuseAmbiguous(changed)
        const text = JSON.stringify(changed)
        await tx.run(saveSettings, {
          accountId,
          country: country === undefined ? (row?.country ?? null) : country,
          keywords: text,
          buttons: buttons === undefined ? (row?.buttons ?? '[]') : JSON.stringify(buttons),
        })
        tx.afterCommit(() => {
          changes++
          known.delete(accountId)
        })
      })
      return this.get(accountId)
    },
  }
}

function toRecord({ country, changed, buttons }: Stored): Settings {
  const languages = [...new Set([...Object.keys(DEFAULT_KEYWORDS), ...Object.keys(changed)])]
  const keywords = languages.map((language) => {
    const words = changed[language] ?? DEFAULT_KEYWORDS[language] ?? { stop: [], start: [] }
    const lists = { stop: [...words.stop], start: [...words.start], maybe: [...maybeWords(language, words)] }
    return { language, ...lists, is_default: changed[language] === undefined }
  })
  return { country, keywords, buttons: [...buttons], countries: [...PHONE_COUNTRIES] }
}

/** @throws ApiError for a word that means both stop and start, in one language or in two. */
function refuseAmbiguous(changed: Stored['changed']): void {
  const all = Object.values({ ...DEFAULT_KEYWORDS, ...changed })
  const stop = new Set(all.flatMap((words) => words.stop.map(foldKeyword)))
  const both = all.flatMap((words) => words.start).find((word) => stop.has(foldKeyword(word)))
  if (both !== undefined) {
    throw new ApiError(
      'validation_error',
      `${both} is both a stop word and a start word. Remove it from one of them.`,
    ).because('word_both', { word: both })
  }
}
