import type { Db } from '../../../kernel/db.ts'
import type { InstanceId } from '../../../kernel/ids.ts'
import { GraphFault } from './answers.ts'
import { allGraphNumbers, putGraphNumber, type GraphNumber, type GraphNumberRow } from './store.ts'

export type GraphNumbers = ReturnType<typeof createGraphNumbers>

type Changes = Partial<
  Pick<GraphNumber, 'callbackUrl' | 'subscribed' | 'registered' | 'tokenDead' | 'accessToken' | 'quality'>
>

/** The numbers of the simulated Meta, in the database and in memory. */
export function createGraphNumbers(db: Db) {
  const known = new Map<string, GraphNumber>()
  let loading: Promise<void> | undefined

  async function load(): Promise<void> {
    const rows = await db.read(allGraphNumbers, {})
    for (const row of rows) known.set(row.phoneNumberId, { ...row, userScope: scopeOf(row, rows) })
  }

  async function put({ userScope: _, ...row }: GraphNumber): Promise<GraphNumber> {
    const number = { ...row, userScope: scopeOf(row, [...known.values(), row]) }
    await db.commit(async (tx) => {
      await tx.run(putGraphNumber, row)
      tx.afterCommit(() => known.set(number.phoneNumberId, number))
    })
    return number
  }

  return {
    load: () => (loading ??= load()),
    all: (): readonly GraphNumber[] => [...known.values()],
    of: (phoneNumberId: string): GraphNumber | undefined => known.get(phoneNumberId),
    byInstance: (instanceId: InstanceId): GraphNumber | undefined =>
      [...known.values()].find((number) => number.instanceId === instanceId),
    ofAccount: (wabaId: string): readonly GraphNumber[] => [...known.values()].filter((one) => one.wabaId === wabaId),
    ofPortfolio: (portfolioId: string): readonly GraphNumber[] =>
      [...known.values()].filter((one) => one.portfolioId === portfolioId),
    put,
    change: (number: GraphNumber, changes: Changes) =>
      put({ ...(known.get(number.phoneNumberId) ?? number), ...changes }),
    /** The owner of this token. @throws GraphFault 190 */
    withToken(authorization: string | undefined): readonly GraphNumber[] {
      const token = /^Bearer (\S+)$/.exec(authorization ?? '')?.[1]
      const mine = [...known.values()].filter((number) => number.accessToken === token && number.tokenDead === 0)
      if (token !== undefined && mine.length > 0) return mine
      throw new GraphFault(401, 190, 'Invalid OAuth access token - Cannot parse access token')
    },
  }
}

/** User ids are unchanged in the portfolio of the account's first number. Ids of instances ascend with time. */
function scopeOf(number: GraphNumberRow, all: readonly GraphNumberRow[]): string {
  const { accountId, portfolioId } = number
  const mine = all.filter((one) => one.accountId === accountId)
  const first = mine.reduce((oldest, one) => (one.instanceId < oldest.instanceId ? one : oldest), number)
  return first.portfolioId === portfolioId ? '' : `P${portfolioId}`
}
