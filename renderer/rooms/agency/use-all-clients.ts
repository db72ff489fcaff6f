import { shallowRef, type Ref } from 'vue'
import { useAccess } from '../../app/access.ts'
import { call } from '../../app/api.ts'
import type { Client } from './store.ts'

const PAGE = 200

/** All clients by name, for a field to choose one. Empty for members. */
export function useAllClients(): { readonly all: Ref<readonly Client[]>; readonly load: () => Promise<void> } {
  const access = useAccess()
  const all = shallowRef<readonly Client[]>([])
  async function load(): Promise<void> {
    if (!access.isOperator()) return
    const found: Client[] = []
    try {
      for (let cursor: string | undefined, isMore = true; isMore;) {
        const page: { data: Client[]; next_cursor: string | null } = await call('listClients', {
          query: { limit: PAGE, cursor, q: undefined, status: undefined },
          account: null,
        })
        found.push(...page.data)
        cursor = page.next_cursor ?? undefined
        isMore = cursor !== undefined
      }
    } catch {
      // The loaded clients stay; choosing none is possible.
    }
    all.value = found
  }
  return { all, load }
}
