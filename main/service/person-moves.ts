import type { Instances } from '../capabilities/instances/index.ts'
import type { Messages } from '../capabilities/messages/index.ts'
import type { EngineSignal } from '../engines/engine.ts'
import type { Db, Tx } from '../kernel/db.ts'
import type { InstanceId } from '../kernel/ids.ts'
import type { MovePerson } from '../kernel/person-move.ts'
import { rekey } from '../kernel/rekeying.ts'

interface PersonMovesDeps {
  readonly db: Pick<Db, 'commit' | 'readOne'>
  readonly instances: Pick<Instances, 'owned'>
  readonly messages: Pick<Messages, 'chatAsFirstGiven' | 'chatsAfter' | 'chatsOfNumber' | 'movePerson' | 'moveChats'>
  /** The handlers of all rooms except messages. */
  readonly rooms: readonly MovePerson[]
}

export type PersonSignal = Extract<EngineSignal, { kind: 'contact' | 'number_changed' }>

export interface PersonMoves {
  /** An engine reports that two names are one person: every room learns it in the same commit. */
  learn(instanceId: InstanceId, signal: PersonSignal): Promise<void>
  /**
   * Runs once after an upgrade: merges chats that an earlier version had with one person under two spellings. The
   * oldest is kept and determines the person's name.
   */
  recover(): Promise<void>
}

/** Chats per portion: reading them is fast, but the service starts only after the first portion. */
const CHATS_AT_ONCE = 500

export function createPersonMoves({ db, instances, messages, rooms }: PersonMovesDeps): PersonMoves {
  const everyRoom = [messages.movePerson, ...rooms]

  async function move(
    tx: Tx,
    instanceId: InstanceId,
    names: { readonly from: string; readonly to: string; readonly isNewNumber: boolean },
  ): Promise<void> {
    const owner = await instances.owned(instanceId, tx)
    if (owner === undefined) return
    for (const movePerson of everyRoom)
      await movePerson(tx, { accountId: owner.subject.accountId, instanceId, ...names })
  }

  return {
    async learn(instanceId, signal) {
      const isNewNumber = signal.kind === 'number_changed'
      const [before, after] = isNewNumber ? [signal.before, signal.after] : [signal.hiddenId, signal.number]
      await db.commit(async (tx) => {
        const from = await messages.chatAsFirstGiven(tx, instanceId, before)
        const to = await messages.chatAsFirstGiven(tx, instanceId, after)
        await move(tx, instanceId, { from, to, isNewNumber })
      })
      await messages.moveChats()
    },

    async recover() {
      await rekey(db, {
        table: 'chats',
        async page(after: { readonly instanceId: InstanceId; readonly number: string } | undefined) {
          const last = after && { instanceId: after.instanceId, chat: after.number }
          const chats = await messages.chatsAfter(last, CHATS_AT_ONCE)
          return chats.map(({ instanceId, chat }) => ({ instanceId, number: chat }))
        },
        async move(tx, { instanceId, number }) {
          const [oldest, ...others] = await messages.chatsOfNumber(tx, instanceId, number)
          if (oldest === undefined) return
          for (const from of others) await move(tx, instanceId, { from, to: oldest, isNewNumber: false })
        },
      })
    },
  }
}
