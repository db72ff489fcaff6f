import { ApiError } from '../../contract/errors.ts'
import { canAccessInstance, type Principal } from '../../kernel/access.ts'
import type { InstanceId } from '../../kernel/ids.ts'
import type { KnownInstance } from '../instances/index.ts'
import type { Numbers } from './config.ts'
import type { CampaignsDeps } from './deps.ts'
import { campaignById, lanesOf, toCampaign, type StoredCampaign } from './store.ts'

/** A campaign and its instances. */
export interface Found {
  readonly campaign: StoredCampaign
  readonly instanceIds: readonly InstanceId[]
}

const notFound = () => new ApiError('not_found', 'There is no campaign with this id.')

/** Which campaigns a caller may see. A restricted key sees a campaign only if it may use all its instances. */
export function createAccess({ db, instances }: Pick<CampaignsDeps, 'db' | 'instances'>) {
  const read = { one: db.readOne, all: db.read } as const

  return {
    /** @throws ApiError not_found */
    async get(caller: Principal, id: string): Promise<Found> {
      const row = await db.readOne(campaignById, { id })
      if (row === undefined || row.accountId !== caller.accountId || row.loading === 2) throw notFound()
      const lanes = await db.read(lanesOf, { campaignId: id })
      const instanceIds = lanes.map(({ instanceId }) => instanceId)
      if (!instanceIds.every((instanceId) => canAccessInstance(caller, instanceId))) throw notFound()
      return { campaign: toCampaign(row), instanceIds }
    },

    /**
     * The instances for a campaign.
     * @throws ApiError not_found for one that does not exist or that the caller may not use; validation_error for two
     * networks.
     */
    async numbers(caller: Principal, ids: readonly string[]): Promise<Numbers & { known: readonly KnownInstance[] }> {
      const known: KnownInstance[] = []
      for (const id of ids) {
        const instance = canAccessInstance(caller, id) ? await instances.find(read, caller.accountId, id) : undefined
        if (instance === undefined)
          throw new ApiError(
            'not_found',
            `instance_ids names ${id}, which is not an instance of this account.`,
          ).because('chosen_gone', { field: 'instance_ids' })
        known.push(instance)
      }
      const [network = 'sandbox', other] = [...new Set(known.map((instance) => instance.network))]
      if (other !== undefined) {
        throw new ApiError(
          'validation_error',
          'instance_ids mixes sandbox and live instances. A campaign uses instances of one network.',
        ).because('networks_mixed')
      }
      return { known, network, engines: [...new Set(known.map(({ engine }) => engine))], instanceIds: ids }
    },
  }
}

export type Access = ReturnType<typeof createAccess>
