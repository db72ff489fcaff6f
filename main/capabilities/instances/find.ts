import { ApiError } from '../../contract/errors.ts'
import type { Db } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import { byId, toInstance, type Instance } from './store.ts'

/** The instance was deleted between the door's check and the act. */
export const gone = () => new ApiError('not_found', 'There is no instance with this id.')

/** @throws ApiError not_found when there is none, or it was deleted. */
export async function getInstance(db: Pick<Db, 'readOne'>, id: InstanceId): Promise<Instance> {
  const row = await db.readOne(byId, { id })
  if (!row || row.deletedAtMs !== null) throw gone()
  return toInstance(row)
}
