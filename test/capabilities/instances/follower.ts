import type { ChangeList } from '../../../main/contract/instance.ts'

type Row = ChangeList['data'][number]

export interface ChangesQuery {
  readonly updated_since: string
  readonly limit: number
  readonly cursor?: string
}

/**
 * How far a client comes with an answer before it dies: it never arrived, it was applied but not where the client
 * stands, or where it stands within a round was forgotten.
 */
export type Fate = 'lives' | 'dies before' | 'dies between' | 'forgets its cursor'

interface FollowerNeeds {
  readonly ask: (query: ChangesQuery) => Promise<ChangeList>
  /** Of each page anew. */
  readonly limit: () => number
  readonly fate?: () => Fate
}

/** A client that knows the three rules of the spec and nothing else. */
export function createFollower({ ask, limit, fate = () => 'lives' }: FollowerNeeds) {
  const copy = new Map<string, Row>()
  const deleted = new Map<string, string>()
  let since = '2000-01-01T00:00:00.000Z'
  let cursor: string | null = null
  let latest = since

  const seen = (at: string) => {
    if (at > latest) latest = at
  }

  function apply(page: ChangeList): void {
    for (const row of page.data) copy.set(row.id, row)
    for (const { id, deleted_at } of page.deleted) {
      copy.delete(id)
      deleted.set(id, deleted_at)
    }
  }

  /** @returns whether the round is over: nothing more is waiting. */
  function moveOn(page: ChangeList): boolean {
    for (const { updated_at } of page.data) seen(updated_at)
    for (const { deleted_at } of page.deleted) seen(deleted_at)
    cursor = page.has_more ? page.next_cursor : null
    if (page.has_more) return false
    if (page.deleted_has_more) {
      since = page.deleted.at(-1)?.deleted_at ?? since
      return false
    }
    since = latest
    return true
  }

  return {
    copy,
    /** Ids of what is gone, with the moment. */
    deleted,
    /** @returns whether nothing more is waiting. */
    call: async (): Promise<boolean> => {
      const page = await ask({ updated_since: since, limit: limit(), ...(cursor === null ? {} : { cursor }) })
      switch (fate()) {
        case 'dies before':
          return false
        case 'dies between':
          apply(page)
          return false
        case 'forgets its cursor':
          apply(page)
          cursor = null
          return false
        case 'lives':
          apply(page)
          return moveOn(page)
      }
    },
  }
}

export type Follower = ReturnType<typeof createFollower>
