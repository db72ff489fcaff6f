import { shallowRef, watch } from 'vue'
import type { Campaign } from '../../../main/contract/campaign.ts'
import { call } from '../../app/api.ts'
import type { Person } from './preview.ts'

const SHOWN = 10

/** The first people of a draft, for sample messages. */
export function useSamplePeople(campaign: () => Campaign | undefined) {
  const people = shallowRef<readonly Person[]>([])

  async function load(): Promise<void> {
    const found = campaign()
    if (found === undefined || found.counts.total === 0) return void (people.value = [])
    try {
      const { data } = await call('listCampaignRecipients', {
        params: { id: found.campaign_id },
        query: { limit: SHOWN },
      })
      people.value = data.map(({ phone, name, variables }) => ({ phone, name: name ?? '', variables }))
    } catch {
      // The preview also works with an invented person.
    }
  }

  watch(
    () => [campaign()?.campaign_id, campaign()?.counts.total, campaign()?.variables.join()],
    () => void load(),
    { immediate: true },
  )
  return people
}
