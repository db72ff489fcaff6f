import type { Tx } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import type { MovePerson, PersonMove } from '../../kernel/person-move.ts'
import { personKey } from '../../kernel/phone-number.ts'
import {
  insertOptOut,
  optOutOf,
  optOutsOfNumber,
  removeOptOut,
  WHOLE_ACCOUNT,
  type OptOut,
  type OptOutChange,
} from './store.ts'

interface MoveDeps {
  /** Runs in the commit that opts out a number that was not opted out before. */
  readonly publish: (tx: Tx, change: OptOutChange) => Promise<void>
  readonly changed: (tx: Tx, accountId: PersonMove['accountId']) => void
}

/**
 * An opt-out under one name also counts under the other. Of two opt-outs, one that a keyword cannot lift is kept,
 * otherwise the older one. A number that the person gave up keeps its opt-out.
 */
export function createMove({ publish, changed }: MoveDeps): MovePerson {
  return async (tx, { accountId, from, to, isNewNumber }) => {
    const [before, number] = [personKey(from), personKey(to)]
    if (before === number) return
    const found = await tx.all(optOutsOfNumber, { accountId, number: before })
    for (const optOut of found) {
      const { scope, source, createdAtMs: atMs } = optOut
      const known = await tx.one(optOutOf, { accountId, number, scope })
      if (!isNewNumber) await tx.run(removeOptOut, { accountId, number: before, scope })
      if (known !== undefined && !isStricter(optOut, known)) continue
      await tx.run(removeOptOut, { accountId, number, scope })
      const phone = known?.phone ?? to
      const seq = isNewNumber ? await tx.next('opt_outs') : optOut.seq
      await tx.run(insertOptOut, { ...optOut, seq, phone, accountId, number })
      if (known !== undefined) continue
      const instanceId = scope === WHOLE_ACCOUNT ? null : (scope as InstanceId)
      await publish(tx, { accountId, phone, instanceId, source, atMs })
    }
    if (found.length > 0) changed(tx, accountId)
  }
}

/** A keyword lifts only opt-outs made by a keyword. */
function isStricter(one: OptOut, other: OptOut): boolean {
  const [isByWord, isOtherByWord] = [one.source === 'keyword', other.source === 'keyword']
  return isByWord === isOtherByWord ? one.seq < other.seq : isOtherByWord
}
