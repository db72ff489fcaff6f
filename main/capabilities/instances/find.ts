import { ApiError } from '../../contract/errors.ts'
import type { Db } from '../../kernel/db.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import { byId, toInstance, type Instance } from './store.ts'

/** The instance was deleted after the access check. */
export const notFound = () => new ApiError('not_found', 'There is no instance with this id.')

/** An instance leaves `recreating` only when the wipe ends, so calls that open or close a connection must wait for that. */
export function refuseRecreating({ status }: Pick<Instance, 'status'>): void {
  if (status !== 'recreating') return
  throw new ApiError(
    'invalid_state',
    'The instance is being recreated. Wait until its status is connecting, usually within a second.',
  ).because('being_recreated')
}

/** @throws ApiError not_found when there is none, or it was deleted. */
export async function getInstance(db: Pick<Db, 'readOne'>, id: InstanceId): Promise<Instance> {
  const row = await db.readOne(byId, { id })
  if (!row || row.deletedAtMs !== null) throw notFound()
  return toInstance(row)
}
