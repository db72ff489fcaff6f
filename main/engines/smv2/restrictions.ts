import type { Clock } from '../../kernel/clock.ts'
import type { Db, Tx } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import type { Evidence } from '../engine.ts'
import type { NewChats } from './new-chats.ts'
import { restrict, sessionOf } from './store.ts'

type Restriction = NonNullable<Evidence['restriction']>

/** What the network says of the account, or that it may not be what was believed. */
interface Lock {
  readonly isActive: boolean
  readonly untilMs: number | null
}

/** If the network does not say how long, the restriction is dropped after this time. */
const BELIEVED_MS = 24 * 60 * 60_000
/** The account itself is free, so the refusal was about one person; others are held back no longer than this. */
const ONE_PERSON_MS = 10 * 60_000

interface RestrictionsDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly newChats: Pick<NewChats, 'restriction'>
}

export type Restrictions = ReturnType<typeof createRestrictions>

/** Whether the network lets a number write to people who have not written to it. */
export function createRestrictions({ db, clock, newChats }: RestrictionsDeps) {
  const known = new Map<InstanceId, Restriction>()

  const set = async (tx: Tx, id: InstanceId, at: number | null, until: number | null) => {
    await tx.run(restrict, { instanceId: id, at, until })
    tx.afterCommit(() => {
      if (at === null) known.delete(id)
      else known.set(id, { kind: 'reachout', sinceMs: at, untilMs: until })
    })
  }

  const lockOf = (id: InstanceId): Evidence['restriction'] => {
    const found = known.get(id) ?? null
    return (found?.untilMs ?? Infinity) <= clock.now() ? null : found
  }

  return {
    of: (id: InstanceId): Evidence['restriction'] => lockOf(id) ?? newChats.restriction(id),
    /** At the opening of a link: what was known before the service started. */
    async load(id: InstanceId): Promise<void> {
      const row = await db.readOne(sessionOf, { instanceId: id })
      const { restrictedAtMs: sinceMs = null, restrictedUntilMs: untilMs = null } = row ?? {}
      if (sinceMs !== null) known.set(id, { kind: 'reachout', sinceMs, untilMs })
    },
    /** The network has refused a first message. */
    begin: (tx: Tx, id: InstanceId): Promise<void> => {
      const now = clock.now()
      return set(tx, id, lockOf(id)?.sinceMs ?? now, now + BELIEVED_MS)
    },
    /** The network has said how the account stands. */
    learn: (id: InstanceId, { isActive, untilMs }: Lock): Promise<void> =>
      db.commit(async (tx) => {
        const before = lockOf(id)
        const now = clock.now()
        if (isActive) await set(tx, id, before?.sinceMs ?? now, untilMs ?? now + BELIEVED_MS)
        else if (before) await set(tx, id, before.sinceMs, Math.min(before.untilMs ?? Infinity, now + ONE_PERSON_MS))
      }),
    forget: (id: InstanceId): void => void known.delete(id),
  }
}
