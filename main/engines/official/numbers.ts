import { ApiError } from '../../contract/errors.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { AccountId, InstanceId, Random } from '../../kernel/ids.ts'
import type { Seal } from '../../kernel/seal.ts'
import { Secret } from '../../kernel/secret.ts'
import type { EngineInstance, Portfolio } from '../engine.ts'
import { createPageTokens, hashOfToken, type PageTokenColumns } from '../page-token.ts'
import { limitOfPortfolio, type NumberFacts, type Restriction } from './number-facts.ts'
import { parseRecord, textAt } from './json.ts'
import {
  accept,
  addNumber,
  allNumbers,
  connect,
  forgetCredentials,
  lower,
  note,
  numberById,
  raise,
  refuse,
  rehome,
  removeCallbacks,
  removeAddresses,
  removeContacts,
  removeUserIds,
  removeNumber,
  rename,
  renewToken,
  setGraphVersion,
  type NumberRow,
  type Refusal,
} from './store.ts'

/** The token that identifies a number at Meta, and the secret that proves that a callback comes from Meta. */
export interface Credentials {
  readonly accessToken: Secret
  readonly appSecret: Secret
}

/** The number behind an instance. Its secrets are decrypted when they are used. */
export interface OfficialNumber {
  readonly instanceId: InstanceId
  readonly accountId: AccountId
  /** The token of the connect page; null after it was used. */
  readonly page: (PageTokenColumns & { readonly tokenHash: Uint8Array }) | null
  readonly phoneNumberId: string | null
  readonly wabaId: string | null
  readonly number: string | null
  readonly name: string | null
  /** The number should be connected. */
  readonly up: boolean
  readonly refused: Refusal | null
  readonly facts: NumberFacts | null
  /** Version of the Graph API for this number; null: that of the service. */
  readonly graphVersion: string | null
  /** @throws ApiError sealed */
  readonly verifyToken: () => Secret
  /** @throws ApiError sealed */
  readonly credentials: () => Credentials
}

/** A number that is waiting for its connect page. */
export type WithPage = OfficialNumber & { readonly page: NonNullable<OfficialNumber['page']> }

export const hasPage = (known: OfficialNumber): known is WithPage => known.page !== null

/** A number with credentials. */
export type ConnectedNumber = OfficialNumber & {
  readonly phoneNumberId: string
  readonly wabaId: string
  readonly number: string
}

export const hasCredentials = (known: OfficialNumber | undefined): known is ConnectedNumber =>
  known !== undefined && known.phoneNumberId !== null

export const isUsable = (known: OfficialNumber | undefined): known is ConnectedNumber =>
  hasCredentials(known) && known.up && known.refused === null

/** The data that connects an instance to a number. */
export interface Connection {
  readonly phoneNumberId: string
  readonly wabaId: string
  readonly number: string
  readonly name: string | null
  readonly facts: NumberFacts
  readonly credentials: Credentials
}

export type Numbers = ReturnType<typeof createNumbers>

/**
 * All numbers, in the database and in memory. Changes are SQL updates with a condition and reach the memory after the
 * commit. Each returns the updated number, or undefined when its condition did not hold.
 */
export function createNumbers({ db, seal, random }: { db: Db; seal: Seal; random: Random }) {
  const known = new Map<InstanceId, OfficialNumber>()
  const byPhoneNumberId = new Map<string, Set<InstanceId>>()
  const byPortfolio = new Map<string, Set<InstanceId>>()
  /** By portfolio; absent: one of its numbers has changed since the limit was computed. */
  const limits = new Map<string, Portfolio['limit']>()
  let loading: Promise<void> | undefined
  const pageTokens = createPageTokens({ db, seal, random })

  function put(number: OfficialNumber): void {
    drop(number.instanceId)
    known.set(number.instanceId, number)
    index(byPhoneNumberId, number.phoneNumberId, number.instanceId)
    index(byPortfolio, portfolioKeyOf(number), number.instanceId)
    limits.delete(portfolioKeyOf(number) ?? '')
  }

  function drop(instanceId: InstanceId): void {
    const number = known.get(instanceId)
    if (number === undefined) return
    known.delete(instanceId)
    unindex(byPhoneNumberId, number.phoneNumberId, instanceId)
    unindex(byPortfolio, portfolioKeyOf(number), instanceId)
    limits.delete(portfolioKeyOf(number) ?? '')
  }

  function limitOf(portfolio: string): Portfolio['limit'] {
    const before = limits.get(portfolio)
    if (before !== undefined) return before
    const facts = [...(byPortfolio.get(portfolio) ?? [])].map((id) => known.get(id)?.facts ?? null)
    const limit = limitOfPortfolio(facts)
    limits.set(portfolio, limit)
    return limit
  }

  async function load(): Promise<void> {
    const rows = await pageTokens.protect('official_numbers', await db.read(allNumbers, {}))
    for (const row of rows) if (!known.has(row.instanceId)) put(toNumber(row, seal))
  }

  function written(tx: Tx, row: NumberRow | undefined): OfficialNumber | undefined {
    if (row === undefined) return undefined
    const number = toNumber(row, seal)
    tx.afterCommit(() => put(number))
    return number
  }

  return {
    /** Reads all numbers, once. */
    load: () => (loading ??= load()),
    of: (instanceId: InstanceId): OfficialNumber | undefined => known.get(instanceId),
    all: (): readonly OfficialNumber[] => [...known.values()],
    /** Every instance that uses this number of Meta's. */
    having: (phoneNumberId: string): readonly OfficialNumber[] =>
      [...(byPhoneNumberId.get(phoneNumberId) ?? [])].flatMap((id) => known.get(id) ?? []),
    /** The portfolio that shares a messaging limit with the number, itself included. */
    portfolioOf(instanceId: InstanceId): Portfolio | null {
      const number = known.get(instanceId)
      const key = number === undefined ? null : portfolioKeyOf(number)
      if (number === undefined || key === null) return null
      return { key, id: number.facts?.portfolio?.id ?? null, limit: limitOf(key) }
    },
    /** Whether accounts other than the number's own have numbers in its portfolio. */
    sharesPortfolio(instanceId: InstanceId): boolean {
      const number = known.get(instanceId)
      const others = number === undefined ? [] : [...(byPortfolio.get(portfolioKeyOf(number) ?? '') ?? [])]
      return others.some((id) => known.get(id)?.accountId !== number?.accountId)
    },
    ofAccount: (wabaId: string): readonly OfficialNumber[] =>
      [...known.values()].filter((number) => number.wabaId === wabaId),
    byToken(token: string): WithPage | undefined {
      const sought = hashOfToken(token)
      return [...known.values()].filter(hasPage).find(({ page }) => sought.equals(page.tokenHash))
    },
    /** @returns null while the vault is locked. */
    showToken: ({ instanceId, page }: WithPage): string | null => pageTokens.show(instanceId, page),

    /** Gives the instance a connect page unless it has one. */
    async open(tx: Tx, { id, accountId }: Pick<EngineInstance, 'id' | 'accountId'>) {
      const verify = new Secret(random.bytes(24).toString('base64url'))
      const verifySealed = seal.seal(verify, verifyOwner(id))
      const token = pageTokens.make(id)
      return written(tx, await tx.one(addNumber, { instanceId: id, accountId, ...token, verifySealed }))
    },
    /** The current connect page stops working; the next one has another token. */
    async renewToken(tx: Tx, instanceId: InstanceId): Promise<void> {
      written(tx, await tx.one(renewToken, { instanceId }))
    },
    async connect(tx: Tx, { instanceId, page }: WithPage, connection: Connection) {
      const { credentials, facts, ...columns } = connection
      const { accessToken, appSecret } = credentials
      const opened = JSON.stringify({ access_token: accessToken.open(), app_secret: appSecret.open() })
      const credentialsSealed = seal.seal(new Secret(opened), credentialsOwner(instanceId))
      const params = {
        ...columns,
        instanceId,
        tokenHash: page.tokenHash,
        credentialsSealed,
        facts: JSON.stringify(facts),
      }
      return written(tx, await tx.one(connect, params))
    },
    raise: async (tx: Tx, instanceId: InstanceId) => written(tx, await tx.one(raise, { instanceId })),
    rehome: async (tx: Tx, instanceId: InstanceId, accountId: AccountId) =>
      written(tx, await tx.one(rehome, { instanceId, accountId })),
    lower: async (tx: Tx, instanceId: InstanceId) => written(tx, await tx.one(lower, { instanceId })),
    refuse: async (tx: Tx, instanceId: InstanceId, reason: Refusal) =>
      written(tx, await tx.one(refuse, { instanceId, reason })),
    accept: async (tx: Tx, instanceId: InstanceId) => written(tx, await tx.one(accept, { instanceId })),
    /**
     * Merges new facts into the stored ones. The stored ones are read in the same commit, because another commit may
     * have changed them.
     */
    async note(tx: Tx, instanceId: InstanceId, change: (before: NumberFacts) => NumberFacts) {
      const facts = (await tx.one(numberById, { instanceId }))?.facts ?? null
      if (facts === null) return undefined
      return written(tx, await tx.one(note, { instanceId, facts: JSON.stringify(change(toFacts(facts))) }))
    },
    rename: async (tx: Tx, instanceId: InstanceId, called: { number: string; name: string | null }) =>
      written(tx, await tx.one(rename, { instanceId, ...called })),
    speak: async (tx: Tx, instanceId: InstanceId, version: string | null) =>
      written(tx, await tx.one(setGraphVersion, { instanceId, version })),
    /**
     * Keeps the row with its verify token, so that the configuration at Meta still works for a number connected
     * later.
     */
    forget: async (tx: Tx, instanceId: InstanceId) => written(tx, await tx.one(forgetCredentials, { instanceId })),
    async remove(tx: Tx, instanceId: InstanceId): Promise<void> {
      for (const statement of [removeNumber, removeCallbacks, removeAddresses, removeContacts, removeUserIds])
        await tx.run(statement, { instanceId })
      tx.afterCommit(() => drop(instanceId))
    },
  }
}

type Index = Map<string, Set<InstanceId>>

function index(numbers: Index, key: string | null, instanceId: InstanceId): void {
  if (key !== null) numbers.set(key, (numbers.get(key) ?? new Set()).add(instanceId))
}

function unindex(numbers: Index, key: string | null, instanceId: InstanceId): void {
  if (key === null) return
  numbers.get(key)?.delete(instanceId)
  if (numbers.get(key)?.size === 0) numbers.delete(key)
}

/** Numbers of one WhatsApp account belong to one portfolio, even when Meta does not name it. */
const portfolioKeyOf = ({ facts, wabaId }: OfficialNumber): string | null =>
  wabaId === null ? null : facts?.portfolio ? `portfolio ${facts.portfolio.id}` : `account ${wabaId}`

const verifyOwner = (id: InstanceId) => `official verify:${id}`
const credentialsOwner = (id: InstanceId) => `official credentials:${id}`

function toNumber(row: NumberRow, seal: Seal): OfficialNumber {
  const { instanceId, accountId, phoneNumberId, wabaId, number, name, refused, graphVersion } = row
  const { token, tokenHash, tokenSealed } = row
  let credentials: Credentials | undefined
  return {
    page: tokenHash === null ? null : { token, tokenHash, tokenSealed },
    ...{ instanceId, accountId, phoneNumberId, wabaId, number, name, refused, graphVersion },
    up: row.up === 1,
    facts: row.facts === null ? null : toFacts(row.facts),
    verifyToken: () => seal.open(row.verifySealed, verifyOwner(instanceId)),
    credentials: () => (credentials ??= openCredentials(row, seal)),
  }
}

/** Written by `connect` and `note` above, and by earlier versions. */
function toFacts(json: string): NumberFacts {
  const { restriction, messagingLimit, ...facts } = JSON.parse(json) as NumberFacts & EarlierFacts
  const tier = messagingLimit ?? 'UNKNOWN'
  return {
    ...(restriction && { restrictions: [restriction] }),
    ...(tier.startsWith('TIER_') && { limit: { tier, source: 'number', atMs: facts.checkedAtMs } as const }),
    ...facts,
  }
}

/** The format up to version 56 of the schema. */
interface EarlierFacts {
  readonly restriction?: Restriction | null
  readonly messagingLimit?: string
}

function openCredentials({ instanceId, credentialsSealed }: NumberRow, seal: Seal): Credentials {
  if (credentialsSealed === null) throw new ApiError('not_ready', 'The instance has no number yet.')
  const opened = parseRecord(seal.open(credentialsSealed, credentialsOwner(instanceId)).open()) ?? {}
  const accessToken = new Secret(textAt(opened, 'access_token') ?? '')
  const appSecret = new Secret(textAt(opened, 'app_secret') ?? '')
  return { accessToken, appSecret }
}
