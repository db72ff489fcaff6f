import { computed, shallowRef } from 'vue'
import { call } from '../../app/api.ts'
import type { PaletteFinds } from '../../app/entries.ts'
import { createRequestOrder } from '../messages/request-order.ts'
import type { Contact } from './store.ts'
import { useContactAddress } from './use-contact-address.ts'

const IN_PALETTE = 5

/** People in the palette, searched for by name, number or username. */
export function usePalettePeople(): PaletteFinds {
  const found = shallowRef<readonly Contact[]>([])
  const order = createRequestOrder()
  const addressOf = useContactAddress()
  return {
    items: computed(() =>
      found.value.map((contact) => ({
        label: contact.name ?? addressOf(contact),
        suffix: contact.name === null ? '' : addressOf(contact),
        icon: 'i-lucide-contact',
        to: placeOf(contact),
      })),
    ),
    /** Optional: the palette works without them. */
    async search(words) {
      const asked = order.begin()
      const q = words.trim().slice(0, 100)
      let people: readonly Contact[] = []
      try {
        if (q !== '') people = (await call('listContacts', { query: { q, limit: IN_PALETTE } })).data
      } catch {}
      if (order.isLatest(asked)) found.value = people
    },
  }
}

/** The chat in which the person wrote last, otherwise the contact. */
function placeOf({ phone, instances }: Contact): string {
  const [latest] = instances.toSorted((a, b) => lastAt(b) - lastAt(a))
  return latest === undefined
    ? `/contacts?find=${encodeURIComponent(phone)}`
    : `/messages/${latest.instance_id}/${encodeURIComponent(phone)}`
}

const lastAt = ({ last_inbound_at: inbound, last_outbound_at: outbound }: Contact['instances'][number]): number =>
  Math.max(Date.parse(inbound ?? '') || 0, Date.parse(outbound ?? '') || 0)
