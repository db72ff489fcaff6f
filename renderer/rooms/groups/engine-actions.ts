import { call } from '../../app/api.ts'

/** A channel as the engine reports it. */
export interface Channel {
  readonly channel_id: string
  readonly name: string
  readonly description: string | null
  readonly role: string
  readonly followers: number | null
  readonly link: string | null
}

/** A group of a community. The number need not be a member. */
export interface CommunityGroup {
  readonly group_id: string
  readonly kind: string
  readonly name: string
  readonly members: number | null
}

type Result = Readonly<Record<string, unknown>>

/** @param idempotencyKey for actions that create something; a retry uses the same key. @throws Problem */
export async function runAction(
  id: string,
  path: `${string}/${string}`,
  body: object = {},
  idempotencyKey?: string,
): Promise<Result> {
  const [group = '', action = ''] = path.split('/')
  const answer = await call('callEngine', {
    ...{ params: { id, group, action }, body },
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  })
  return ('result' in answer && answer.result) || {}
}

export async function readChannels(id: string): Promise<readonly Channel[]> {
  return listIn(await runAction(id, 'channel/list'), 'channels').map((channel) => ({
    ...{ channel_id: textIn(channel, 'channel_id') ?? '', name: textIn(channel, 'name') ?? '' },
    ...{ description: textIn(channel, 'description'), role: textIn(channel, 'role') ?? 'guest' },
    ...{ followers: numberIn(channel, 'followers'), link: textIn(channel, 'link') },
  }))
}

export async function readCommunityGroups(id: string, community: string): Promise<readonly CommunityGroup[]> {
  const answer = await runAction(id, 'community/groups', { community_id: community })
  const groups = listIn(answer, 'groups').map((group) => ({
    ...{ group_id: textIn(group, 'group_id') ?? '', kind: textIn(group, 'kind') ?? 'group' },
    ...{ name: textIn(group, 'name') ?? '', members: numberIn(group, 'members') },
  }))
  const rank = ({ kind }: CommunityGroup) => (kind === 'announcements' ? 0 : 1)
  return groups.toSorted((one, other) => rank(one) - rank(other) || one.name.localeCompare(other.name))
}

// The contract declares the result only as an object.
const isRecord = (value: unknown): value is Result => typeof value === 'object' && value !== null
const listIn = (of: Result, name: string): Result[] => {
  const found = of[name]
  return Array.isArray(found) ? found.filter(isRecord) : []
}
const textIn = (of: Result, name: string): string | null => {
  const found = of[name]
  return typeof found === 'string' ? found : null
}
const numberIn = (of: Result, name: string): number | null => {
  const found = of[name]
  return typeof found === 'number' ? found : null
}
