import { computed, shallowRef } from 'vue'
import type { CampaignSummary } from '../../../main/contract/campaign.ts'
import { call } from '../../app/api.ts'
import type { PaletteFinds } from '../../app/entries.ts'

/** How many the palette searches; their own screen has all of them. */
const IN_PALETTE = 200

/** Campaigns in the palette, loaded when the palette opens. */
export function usePaletteCampaigns(): PaletteFinds {
  const found = shallowRef<readonly CampaignSummary[]>([])
  return {
    items: computed(() =>
      found.value.map(({ campaign_id: id, name }) => ({
        label: name,
        icon: 'i-lucide-megaphone',
        to: `/campaigns/${id}`,
      })),
    ),
    /** Optional: the palette works without them. */
    async load() {
      try {
        found.value = (await call('listCampaigns', { query: { limit: IN_PALETTE } })).data
      } catch {}
    },
  }
}
