import type { Creator } from '../../../kernel/access.ts'

/** An unfinished connection: GoHighLevel is asked before it is stored. */
export interface UnderWay {
  readonly instanceId: string
  readonly createdBy: Creator | null
  /** Must not be stored: the number was transferred, or its creator lost access. */
  isEnded: boolean
}

export type ConnectionsUnderWay = ReturnType<typeof createConnectionsUnderWay>

/** Connections that have left the table of consents and are not stored elsewhere yet. */
export function createConnectionsUnderWay() {
  const all = new Set<UnderWay>()
  return {
    begin({ instanceId, createdBy }: Pick<UnderWay, 'instanceId' | 'createdBy'>): UnderWay {
      const one = { instanceId, createdBy, isEnded: false }
      all.add(one)
      return one
    },
    over: (one: UnderWay): void => void all.delete(one),
    /** Runs in the commit that ends access, so that no later commit of its group stores the connection. */
    end(which: (one: UnderWay) => boolean): void {
      for (const one of all) if (which(one)) one.isEnded = true
    },
  }
}
