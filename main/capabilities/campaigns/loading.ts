import { LIMITS } from '../../contract/limits.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { AccountId } from '../../kernel/ids.ts'
import { addCounts } from './counts.ts'
import type { CampaignsDeps } from './deps.ts'
import { insertRecipient } from './recipient-store.ts'
import { emptyTally, refuse, type AcceptedRecipient, type RecipientSource, type Tally } from './recipients.ts'
import {
  deleteCampaign,
  deleteCounts,
  deleteLanes,
  deleteRecipients,
  deleteStreak,
  growthOf,
  setNextPosition,
  setVariables,
} from './store.ts'

/** Rows per commit, because the same thread serves the window. */
const ROWS_AT_ONCE = 500

export interface Target {
  readonly id: string
  readonly accountId: AccountId
  readonly instanceIds: readonly string[]
}

export type Loading = ReturnType<typeof createLoading>

/** Adds and removes the recipients of a campaign, in portions. */
export function createLoading({ db, optOuts }: Pick<CampaignsDeps, 'optOuts'> & { readonly db: Db }) {
  /** Campaigns whose recipients this process is adding or removing. */
  const underWay = new Set<string>()

  /** @returns how many rows were accepted, and which were rejected. */
  async function addPortion(tx: Tx, target: Target, rows: readonly AcceptedRecipient[]): Promise<Tally> {
    const { id: campaignId, accountId, instanceIds } = target
    const tally = emptyTally()
    const phones = rows.map(({ phone }) => phone)
    const optedOut = await optOuts.optedOutOf(tx, accountId, instanceIds, phones)
    const before = await tx.one(growthOf, { id: campaignId })
    if (before === undefined) throw new Error('The campaign is gone.')
    let position = before.nextPosition
    for (const { line, written, phone, canonical, name, variables } of rows) {
      if (optedOut.has(phone)) {
        refuse(tally, line, written, 'opted_out')
        continue
      }
      const recipient = { campaignId, position, accountId, phone, canonical, name, variables }
      if ((await tx.run(insertRecipient, recipient)) === 0) {
        refuse(tally, line, written, 'duplicate')
        continue
      }
      position++
    }
    const accepted = position - before.nextPosition
    tally.recipients.accepted = accepted
    await addCounts(tx, { campaignId, instanceId: null, variation: null }, { pending: accepted })
    await tx.run(setNextPosition, { id: campaignId, nextPosition: position })
    return tally
  }

  async function nameVariables(tx: Tx, id: string, names: readonly string[], now: number): Promise<void> {
    const before = await tx.one(growthOf, { id })
    if (before === undefined) return
    const variables = [...new Set([...(JSON.parse(before.variables) as string[]), ...names])]
    await tx.run(setVariables, { id, variables: JSON.stringify(variables), now })
  }

  async function removeAll(id: string): Promise<void> {
    while ((await db.commit((tx) => tx.run(deleteRecipients, { id, rows: ROWS_AT_ONCE }))) === ROWS_AT_ONCE);
    await db.commit((tx) => tx.run(deleteCounts, { id }))
  }

  return {
    addPortion,
    nameVariables,

    /**
     * Marks a campaign from the commit that begins loading until `end`. Stored marks without this one are cleaned up.
     */
    begin: (tx: Tx, id: string): void => tx.afterCommit(() => underWay.add(id)),
    end: (id: string): void => void underWay.delete(id),
    isUnderWay: (id: string): boolean => underWay.has(id),

    /** @returns the tally of the source after all its portions were added. */
    async addAll(target: Target, { portions, tally }: RecipientSource): Promise<Tally> {
      const tallies = [tally]
      for await (const rows of portions) tallies.push(await db.commit((tx) => addPortion(tx, target, rows)))
      return mergeTallies(tallies)
    },

    /** Removes the recipients and their counts. */
    removeAll,

    /** Removes a campaign after its recipients were removed. */
    async removeCampaign(tx: Tx, id: string): Promise<void> {
      for (const statement of [deleteStreak, deleteLanes, deleteCounts, deleteCampaign]) await tx.run(statement, { id })
    },
  }
}

/** Merges problems in the order of their lines. */
export function mergeTallies(tallies: readonly Tally[]): Tally {
  const merged = emptyTally()
  for (const { recipients, problems } of tallies) {
    merged.recipients.accepted += recipients.accepted
    merged.recipients.duplicates += recipients.duplicates
    merged.recipients.invalid += recipients.invalid
    merged.recipients.opted_out += recipients.opted_out
    merged.problems.push(...problems)
  }
  merged.problems.sort((a, b) => a.line - b.line)
  merged.problems.length = Math.min(merged.problems.length, LIMITS.campaignProblems)
  return merged
}
