import type { Db } from '../../kernel/db.ts'
import type { Statement } from '../../kernel/sql.ts'
import { toInstance, type Instance, type InstanceRow } from './store.ts'

const PAGE = 500

/** Instances in the order of their ids, a page at a time. The caller may change the rows of a page. */
export async function* eachPage(
  db: Pick<Db, 'read'>,
  page: Statement<{ afterId: string; limit: number }, InstanceRow>,
): AsyncGenerator<Instance[]> {
  for (let afterId = ''; ;) {
    const rows = await db.read(page, { afterId, limit: PAGE })
    const last = rows.at(-1)
    if (!last) return
    yield rows.map(toInstance)
    afterId = last.id
  }
}
