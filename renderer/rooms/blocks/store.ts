import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import { call } from '../../app/api.ts'
import { useLive } from '../../app/live.ts'

const FRESH_MS = 30_000
const PAGE = 200
/** With a longer list, the chat menu does not show whether the person is blocked. */
const MOST_PAGES = 5

/** People blocked by numbers, as far as this window has loaded them. */
export const useBlocked = defineStore('blocked', () => {
  const people = shallowRef<ReadonlyMap<string, ReadonlySet<string>>>(new Map())
  const readAt = new Map<string, number>()

  useLive().onNotice(['blocked'], () => readAt.clear())

  /** Asks the network again after a while. A list that cannot be read is hidden. */
  async function load(id: string): Promise<void> {
    if (Date.now() - (readAt.get(id) ?? 0) < FRESH_MS) return
    readAt.set(id, Date.now())
    const found = new Set<string>()
    let cursor: string | undefined
    try {
      for (let pages = 0; pages < MOST_PAGES; pages++) {
        const page = await call('listBlocked', { params: { id }, query: { limit: PAGE, cursor } })
        for (const { phone } of page.data) found.add(phone)
        cursor = page.next_cursor ?? undefined
        if (cursor === undefined) break
      }
      people.value = new Map(people.value).set(id, found)
    } catch {
      readAt.delete(id)
    }
  }

  async function set(id: string, phone: string, isBlocked: boolean): Promise<void> {
    if (isBlocked) await call('blockPerson', { params: { id }, body: { phone } })
    else await call('unblockPerson', { params: { id, phone } })
    const now = new Set(people.value.get(id))
    if (isBlocked) now.add(phone)
    else now.delete(phone)
    people.value = new Map(people.value).set(id, now)
  }

  const has = (id: string, phone: string): boolean => people.value.get(id)?.has(phone) === true

  return { load, set, has }
})
