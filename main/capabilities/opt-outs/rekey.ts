import type { Db } from '../../kernel/db.ts'
import { REKEYING_PORTION, rekey } from '../../kernel/rekeying.ts'
import { optOutOf, optOutsAfter, removeOptOut, setOptOutNumber, type KeyedOptOut } from './store.ts'

/** Replaces the keys of opt-outs from earlier versions by those that are compared now. Of two, the older is kept. */
export const rekeyOptOuts = (db: Db): Promise<number> =>
  rekey<KeyedOptOut>(db, {
    table: 'opt_outs',
    page: (after) => db.read(optOutsAfter, { after: after?.seq ?? -1, rows: REKEYING_PORTION }),
    async move(tx, { seq, accountId, number: before, scope }, number) {
      const known = await tx.one(optOutOf, { accountId, number, scope })
      if (known !== undefined)
        await tx.run(removeOptOut, { accountId, number: known.seq < seq ? before : number, scope })
      if (known === undefined || known.seq > seq) await tx.run(setOptOutNumber, { seq, number })
    },
  })
