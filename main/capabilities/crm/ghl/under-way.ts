import type { Creator } from '../../../kernel/access.ts'

/** A connection that is being made: GoHighLevel is asked before it is stored. */
export interface UnderWay {
  readonly instanceId: string
  readonly createdBy: Creator | null
  /** Must not be stored: the number was given away, or access of its creator ended. */
  isEnded: boolean
}

export type ConnectionsUnderWay = ReturnType<typeof createConnectionsUnderWay>

/** What has left the table of consents, and is in no other yet. */
export function createConnectionsUnderWay() {
  const all = new Set<UnderWay>()
  return {
    begin({ instanceId, createdBy }: Pick<UnderWay, 'instanceId' | 'createdBy'>): UnderWay {
      const one = { instanceId, createdBy, isEnded: false }
      all.add(one)
      return one
    },
    over: (one: UnderWay): void => void all.delete(one),
    /** In the commit that ends access, so that no later one of its group stores the connection. */
    end(which: (one: UnderWay) => boolean): void {
      for (const one of all) if (which(one)) one.isEnded = true
    },
  }
}
