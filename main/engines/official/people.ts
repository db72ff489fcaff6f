import type { Db } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import { USER_ID } from '../../contract/addresses.ts'
import { personKey } from '../../kernel/phone-number.ts'
import type { EngineSink } from '../engine.ts'
import type { Person } from './callback-items.ts'
import type { Numbers } from './numbers.ts'
import {
  forgetUser,
  knowAddress,
  knowUser,
  noteUserId,
  numberAt,
  numberOfUser,
  userIdRow,
  type UserIdRow,
} from './store.ts'

export interface People {
  /** The person's digits if known, as they were given here; otherwise Meta's user id. */
  nameOf(instanceId: InstanceId, person: Person): Promise<string>
  /** Records that a number and an id belong to one person. */
  know(instanceId: InstanceId, known: { readonly number: string; readonly userId: string }): Promise<void>
  /**
   * Records that a message to `to` reached the person whom Meta writes as `address`, which may differ from the
   * dialled number.
   */
  reached(instanceId: InstanceId, to: string, address: string): Promise<void>
  /** A person changed their number. Their id changes with it, and the new number may be hidden. */
  changed(instanceId: InstanceId, change: { readonly before: Person; readonly after: Person }): Promise<void>
  /**
   * The name to write to. An id from another portfolio does not work for this number, but the phone number behind it
   * does.
   * @returns null: the id is from another portfolio, and no number is known.
   */
  writableName(instanceId: InstanceId, to: string): Promise<string | null>
}

interface PeopleDeps {
  readonly db: Db
  readonly sink: EngineSink
  readonly numbers: Pick<Numbers, 'of'>
}

const IS_USER_ID = new RegExp(`^${USER_ID}$`)

/**
 * Stores which names belong to one person. The rooms are informed before the commit; informing them twice is
 * harmless.
 */
export function createPeople({ db, sink, numbers }: PeopleDeps): People {
  const behind = async (instanceId: InstanceId, userId: string | null) =>
    userId === null ? undefined : (await db.readOne(numberOfUser, { instanceId, userId }))?.number

  async function know(instanceId: InstanceId, { number, userId }: { number: string; userId: string }): Promise<void> {
    const before = await behind(instanceId, userId)
    if (before === number) return
    if (before !== undefined && personKey(before) !== personKey(number))
      await sink(instanceId, { kind: 'number_changed', before, after: number })
    await sink(instanceId, { kind: 'contact', hiddenId: userId, number })
    await db.commit((tx) => tx.run(knowUser, { instanceId, userId, number }))
  }

  /** undefined: not connected. */
  function scopeOf(instanceId: InstanceId): UserIdRow | undefined {
    const { wabaId = null, facts = null } = numbers.of(instanceId) ?? {}
    return wabaId === null ? undefined : { wabaId, portfolioId: facts?.portfolio?.id ?? null }
  }

  /** Records which portfolio an id comes from. Call it for people whose number is not known. */
  async function noteScope(instanceId: InstanceId, userId: string): Promise<void> {
    const scope = scopeOf(instanceId)
    if (scope === undefined) return
    const known = await db.readOne(userIdRow, { instanceId, userId })
    if (known?.wabaId === scope.wabaId && known.portfolioId === scope.portfolioId) return
    await db.commit((tx) => tx.run(noteUserId, { instanceId, userId, ...scope }))
  }

  return {
    know,
    async nameOf(instanceId, { number, userId }) {
      if (number !== null) return (await db.readOne(numberAt, { instanceId, address: number }))?.number ?? number
      if (userId === null) throw new Error('a message of nobody')
      const known = await behind(instanceId, userId)
      if (known === undefined) await noteScope(instanceId, userId)
      return known ?? userId
    },
    async writableName(instanceId, to) {
      if (!IS_USER_ID.test(to)) return to
      const from = await db.readOne(userIdRow, { instanceId, userId: to })
      if (from === undefined || !isElsewhere(from, scopeOf(instanceId))) return to
      return (await behind(instanceId, to)) ?? null
    },
    async reached(instanceId, to, address) {
      if (address === to || (await db.readOne(numberAt, { instanceId, address })) !== undefined) return
      if (personKey(address) !== personKey(to))
        await sink(instanceId, { kind: 'contact', hiddenId: address, number: to })
      await db.commit((tx) => tx.run(knowAddress, { instanceId, address, number: to }))
    },
    async changed(instanceId, { before, after }) {
      const name = after.number ?? after.userId
      if (name === null) return
      const number = before.number ?? (await behind(instanceId, before.userId))
      for (const left of [before.userId, number])
        if (left !== null && left !== undefined && personKey(left) !== personKey(name))
          await sink(instanceId, { kind: 'number_changed', before: left, after: name })
      const { userId } = before
      if (userId !== null) await db.commit((tx) => tx.run(forgetUser, { instanceId, userId }))
      if (after.number !== null && after.userId !== null)
        await know(instanceId, { number: after.number, userId: after.userId })
    },
  }
}

/** If Meta does not name both portfolios, the message is sent and Meta decides whether it knows the id. */
const isElsewhere = (from: UserIdRow, now: UserIdRow | undefined): boolean =>
  from.portfolioId !== null && now !== undefined && now.portfolioId !== null && from.portfolioId !== now.portfolioId
