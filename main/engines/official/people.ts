import type { Db } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import { personKey } from '../../kernel/phone-number.ts'
import type { EngineSink } from '../engine.ts'
import type { Person } from './callback-items.ts'
import { forgetUser, knowAddress, knowUser, numberAt, numberOfUser } from './store.ts'

export interface People {
  /** Digits whenever they are known, as they were given here; else Meta's own id of the person. */
  nameOf(instanceId: InstanceId, person: Person): Promise<string>
  /** A number and an id belong to one person. */
  know(instanceId: InstanceId, known: { readonly number: string; readonly userId: string }): Promise<void>
  /** A message to `to` went to somebody whom Meta writes as `address`, which is not always how they are dialled. */
  reached(instanceId: InstanceId, to: string, address: string): Promise<void>
  /** Somebody has another number. Their id changes with it, and the new number may be hidden. */
  changed(instanceId: InstanceId, change: { readonly before: Person; readonly after: Person }): Promise<void>
}

/** Keeps which names belong to one person. The rooms are told before it is stored; telling them twice changes nothing. */
export function createPeople({ db, sink }: { readonly db: Db; readonly sink: EngineSink }): People {
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

  return {
    know,
    async nameOf(instanceId, { number, userId }) {
      if (number !== null) return (await db.readOne(numberAt, { instanceId, address: number }))?.number ?? number
      if (userId === null) throw new Error('a message of nobody')
      return (await behind(instanceId, userId)) ?? userId
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
