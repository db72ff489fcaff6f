import type { Clock } from './clock.ts'
import type { AccountId } from './ids.ts'
import { MOST_LEFT_OUT } from './job-store.ts'

interface Lane {
  readonly accountId: AccountId
}

/** An account with very many lanes is searched through for those of others no more often. */
const SEARCH_EVERY_MS = 100

/** Whose jobs of a kind run next: each account that has some due has a turn before one has another. */
export function createJobTurns<L extends Lane>(clock: Pick<Clock, 'mono'>) {
  const had = new Set<AccountId>()
  let searchMono = -Infinity

  return {
    /**
     * @param first lanes that have waited longest. @param areAll whether there are no others.
     * @param search finds lanes of other accounts than these.
     * @returns lanes of accounts whose turn it is.
     */
    async next(
      first: readonly L[],
      areAll: boolean,
      search: (others: readonly AccountId[]) => Promise<readonly L[]>,
    ): Promise<readonly L[]> {
      const isTurn = ({ accountId }: Lane) => !had.has(accountId)
      const found = first.filter(isTurn)
      if (found.length > 0) return found
      if (!areAll && clock.mono() >= searchMono) {
        const others = await search([...had])
        if (others.length > 0) return others
        searchMono = clock.mono() + SEARCH_EVERY_MS
      }
      had.clear()
      return first
    },
    hasHad: (accountId: AccountId): boolean => had.has(accountId),
    note(accountId: AccountId): void {
      // A new round begins, though not all others were asked.
      if (had.size >= MOST_LEFT_OUT) had.clear()
      had.add(accountId)
    },
  }
}
