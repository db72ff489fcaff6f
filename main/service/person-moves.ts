import type { Instances } from '../capabilities/instances/index.ts'
import type { Messages } from '../capabilities/messages/index.ts'
import type { EngineSignal } from '../engines/engine.ts'
import type { Db } from '../kernel/db.ts'
import type { InstanceId } from '../kernel/ids.ts'
import type { MovePerson } from '../kernel/person-move.ts'

interface PersonMovesDeps {
  readonly db: Pick<Db, 'commit'>
  readonly instances: Pick<Instances, 'owned'>
  readonly messages: Pick<Messages, 'chatAsFirstGiven' | 'movePerson' | 'moveChats'>
  /** What each room does, besides messages. */
  readonly rooms: readonly MovePerson[]
}

export type PersonSignal = Extract<EngineSignal, { kind: 'contact' | 'number_changed' }>

/** When an engine learns that two names are one person, every room knows it from the same commit on. */
export function createPersonMoves({ db, instances, messages, rooms }: PersonMovesDeps) {
  return async (instanceId: InstanceId, signal: PersonSignal): Promise<void> => {
    const isNewNumber = signal.kind === 'number_changed'
    const [before, after] = isNewNumber ? [signal.before, signal.after] : [signal.hiddenId, signal.number]
    await db.commit(async (tx) => {
      const owner = await instances.owned(instanceId, tx)
      if (owner === undefined) return
      const { accountId } = owner.subject
      const from = await messages.chatAsFirstGiven(tx, instanceId, before)
      const to = await messages.chatAsFirstGiven(tx, instanceId, after)
      const move = { accountId, instanceId, from, to, isNewNumber }
      for (const movePerson of [messages.movePerson, ...rooms]) await movePerson(tx, move)
    })
    await messages.moveChats()
  }
}
