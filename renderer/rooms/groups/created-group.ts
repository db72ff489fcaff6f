import { LIMITS } from '../../../main/contract/limits.ts'
import { call } from '../../app/api.ts'
import type { Item } from '../../app/operation-types.ts'
import { Problem } from '../../app/problem.ts'
import { createIntent } from '../instances/intent.ts'

type Group = Item<'listGroupChats'>
interface Wanted {
  readonly instanceId: string
  readonly name: string
  readonly kind: 'group' | 'community'
}

/** The clocks of the phone and of the network may differ, and WhatsApp gives times in whole seconds. */
const CLOCKS_DIFFER_MS = 60_000

/** Whether it is unknown if an earlier attempt of the same request succeeded. */
export const isUnknown = (problem: unknown): boolean => problem instanceof Problem && problem.code === 'outcome_unknown'

/**
 * Creates a group or community only once. A retry uses the same key, and finds the group that an interrupted attempt
 * created.
 */
export function createGroupIntent() {
  const intent = createIntent()
  let tried = { key: '', atMs: 0 }
  return {
    begin: intent.done,
    /** @throws Problem */
    async create<T>(wanted: Wanted, body: object, send: (key: string) => Promise<T>): Promise<T | Group> {
      const key = intent.keyFor({ ...wanted, ...body })
      if (tried.key !== key) tried = { key, atMs: Date.now() }
      try {
        return await send(key)
      } catch (error) {
        const found = isUnknown(error) ? await findCreated(wanted, tried.atMs) : undefined
        if (found === undefined) throw error
        return found
      }
    },
  }
}

/**
 * Finds the group that an earlier attempt created. The name alone is not enough, because WhatsApp allows several
 * groups of the same name. @param sinceMs when the first attempt started.
 */
async function findCreated({ instanceId, name, kind }: Wanted, sinceMs: number): Promise<Group | undefined> {
  const query = { q: name, kind, limit: LIMITS.pageSize } as const
  const { data } = await call('listGroupChats', { params: { id: instanceId }, query })
  return data.find(
    (group) => group.subject === name && group.admin && Date.parse(group.created_at) >= sinceMs - CLOCKS_DIFFER_MS,
  )
}
