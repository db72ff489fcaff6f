import { call } from '../../app/api.ts'
import type { Body } from '../../app/operation-types.ts'
import { useResource } from '../instances/use-resource.ts'
import type { ChangedGroup, GroupDetails } from './group.ts'

interface GroupPlace {
  readonly instanceId: string
  readonly group: string
}

export type GroupChange = Body<'updateGroupChat'>

/** One group, loaded again whenever a group of the number changes. Join requests are loaded for admins only. */
export function useGroup({ instanceId, group: groupId }: GroupPlace, hasRequests: () => boolean) {
  const params = { id: instanceId, group: groupId }
  const { data, problem, load } = useResource<GroupDetails>(
    async () => {
      const found = await call('getGroupChat', { params })
      const isAsked = found.admin && found.join_approval && hasRequests()
      return isAsked ? call('getGroupChat', { params, query: { include: 'join_requests' } }) : found
    },
    ({ topic, instance_id: id }) => topic === 'groups' && (id === undefined || id === instanceId),
  )

  /** @throws Problem */
  async function change(body: GroupChange): Promise<ChangedGroup> {
    const answer = await call('updateGroupChat', { params, body })
    const { results: _, invite_link: __, ...record } = answer
    const answered = new Set([...(body.approve_requests ?? []), ...(body.reject_requests ?? [])])
    const waiting = data.value?.join_requests?.filter(({ phone }) => !answered.has(phone))
    data.value = { ...record, ...(waiting && { join_requests: waiting }) }
    return answer
  }

  return { group: data, problem, load, change }
}
