import { defineStore } from 'pinia'
import { shallowReactive } from 'vue'
import { call } from '../app/api.ts'
import { useLive } from '../app/live.ts'
import { i18n } from '../app/i18n.ts'
import type { Item } from '../app/operation-types.ts'
import { addressText, isHiddenId } from '../rooms/messages/number.ts'

type Person = Pick<Item<'listContactNames'>, 'name' | 'number' | 'username'>

const MOST_AT_ONCE = 100
/** Limit of cached people; the most recently requested are kept. */
const MOST_KEPT = 2_000
/** Contacts change with every message, so they are reloaded no more often than this. */
const REREAD_MS = 5_000

/** Names of people from the account's contacts, by number or hidden id. */
export const usePersonNames = defineStore('person-names', () => {
  /** null: requested, and unknown. */
  const names = shallowReactive(new Map<string, Person | null>())
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
    // Names on screen are requested again when they are drawn.
    for (const phone of others) names.delete(phone)
    for (const phone of latest) wanted.add(phone)
    void read()
  }

  async function read(): Promise<void> {
    if (isReading) return
    isReading = true
    // Rows that are drawn together share one request.
    await Promise.resolve()
    try {
      while (wanted.size > 0) {
        const phones = [...wanted].slice(0, MOST_AT_ONCE)
        for (const phone of phones) wanted.delete(phone)
        const { data } = await call('listContactNames', { query: { phones: phones.join(',') } })
        const found = new Map(data.map((person) => [person.phone, person]))
        for (const phone of phones) names.set(phone, found.get(phone) ?? null)
      }
    } catch {
      // Numbers are shown instead; a new connection requests the names again.
      wanted.clear()
    } finally {
      isReading = false
    }
    for (const phone of [...names.keys()].slice(0, Math.max(0, names.size - MOST_KEPT))) names.delete(phone)
  }

  function find(phone: string): Person | undefined {
    if (!names.has(phone) && !wanted.has(phone) && /^[\w.:@-]+$/.test(phone)) {
      wanted.add(phone)
      void read()
    }
    return names.get(phone) ?? undefined
  }

  /** @returns undefined while the name is unknown, and for a person without a name. */
  const nameOf = (phone: string): string | undefined => find(phone)?.name ?? undefined
  /** Whether only the network's id of a person is known, and no number. */
  const isHidden = (phone: string): boolean => (find(phone)?.number === null ? true : isHiddenId(phone))
  /** The number, otherwise the username, and never an id of the network. */
  const addressOf = (phone: string): string => addressText(phone, find(phone)) ?? i18n.global.t('common.numberHidden')

  return { nameOf, isHidden, addressOf, textOf: (phone: string): string => nameOf(phone) ?? addressOf(phone) }
})
