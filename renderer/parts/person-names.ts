import { defineStore } from 'pinia'
import { shallowReactive } from 'vue'
import { call } from '../app/api.ts'
import { useLive } from '../app/live.ts'
import { chatText } from '../rooms/messages/number.ts'

const MOST_AT_ONCE = 100
/** People whose names are kept; of more, those asked for last. */
const MOST_KEPT = 2_000
/** Contacts change with every message: they are not read again more often than this. */
const REREAD_MS = 5_000

/** Names of people by their number or hidden id, as the contacts of the account have them. */
export const usePersonNames = defineStore('person-names', () => {
  /** null: asked for, and not known. */
  const names = shallowReactive(new Map<string, string | null>())
  const wanted = new Set<string>()
  let isReading = false
  let reread: ReturnType<typeof setTimeout> | undefined

  const live = useLive()
  live.onNotice(['contacts'], () => {
    reread ??= setTimeout(readAgain, REREAD_MS)
  })
  live.onReset(readAgain)

  function readAgain(): void {
    clearTimeout(reread)
    reread = undefined
    const latest = [...names.keys()].slice(-MOST_AT_ONCE)
    if (latest.length === 0) return
    const others = [...names.keys()].slice(0, -MOST_AT_ONCE)
    // Those that are on screen are asked for again when they are drawn.
    for (const phone of others) names.delete(phone)
    for (const phone of latest) wanted.add(phone)
    void read()
  }

  async function read(): Promise<void> {
    if (isReading) return
    isReading = true
    // Rows that are drawn together ask together.
    await Promise.resolve()
    try {
      while (wanted.size > 0) {
        const phones = [...wanted].slice(0, MOST_AT_ONCE)
        for (const phone of phones) wanted.delete(phone)
        const { data } = await call('listContactNames', { query: { phones: phones.join(',') } })
        const found = new Map(data.map(({ phone, name }) => [phone, name]))
        for (const phone of phones) names.set(phone, found.get(phone) ?? null)
      }
    } catch {
      // Numbers are shown instead; a new connection asks again.
      wanted.clear()
    } finally {
      isReading = false
    }
    for (const phone of [...names.keys()].slice(0, Math.max(0, names.size - MOST_KEPT))) names.delete(phone)
  }

  /** @returns undefined until the name is known, and of somebody without one. */
  function nameOf(phone: string): string | undefined {
    if (!names.has(phone) && !wanted.has(phone) && /^[\w.:@-]+$/.test(phone)) {
      wanted.add(phone)
      void read()
    }
    return names.get(phone) ?? undefined
  }

  return { nameOf, textOf: (phone: string): string => nameOf(phone) ?? chatText(phone) }
})
