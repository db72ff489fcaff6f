import type { Db, Tx } from '../../kernel/db.ts'
import type { Ids } from '../../kernel/ids.ts'
import { insertMeta, readMeta, removeMeta, removeMetaBeginningWith } from '../../kernel/meta.ts'

interface ChangesDeps {
  readonly db: Pick<Db, 'commit' | 'readOne'>
  readonly ids: Pick<Ids, 'tagged'>
}

const prefixOf = (queue: string) => `crm_opt_out:${queue}:`

/** They are removed with the queue. */
export const removeOptOutChanges = (tx: Tx, queue: string): Promise<void> =>
  removeMetaBeginningWith(tx, prefixOf(queue))

export type OptOutChanges = ReturnType<typeof createOptOutChanges>

/** Ids of opt-out changes that are being sent to a CRM. A retry uses the same id, also after a crash. */
export function createOptOutChanges({ db, ids }: ChangesDeps) {
  const nameOf = (queue: string, number: string, dnd: number) => `${prefixOf(queue)}${number}:${dnd}`
  return {
    /** Stored before any call is made. */
    async begin(queue: string, number: string, dnd: number): Promise<string> {
      const name = nameOf(queue, number, dnd)
      return (await readMeta(db, name)) ?? db.commit((tx) => insertMeta(tx, name, ids.tagged('chg')))
    },
    /** The CRM has accepted or refused it. */
    async end(tx: Tx, queue: string, number: string): Promise<void> {
      for (const dnd of [0, 1]) await removeMeta(tx, nameOf(queue, number, dnd))
    },
  }
}
