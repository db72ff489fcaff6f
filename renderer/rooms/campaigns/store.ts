import { defineStore } from 'pinia'
import { ref, shallowRef } from 'vue'
import type { CampaignStatus, CampaignSummary } from '../../../main/contract/campaign.ts'
import { call } from '../../app/api.ts'
import { useLive } from '../../app/live.ts'
import { asProblem, type Problem } from '../../app/problem.ts'

const PAGE = 100
/** A running campaign sends many notices; the list is updated less often. */
const REFRESH_MS = 1_000

/** The account's campaigns, newest first. */
export const useCampaigns = defineStore('campaigns', () => {
  const campaigns = shallowRef<readonly CampaignSummary[]>()
  const status = ref<CampaignStatus>()
  const hasMore = ref(false)
  const problem = ref<Problem>()
  let cursor: string | null = null
  let round = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  const live = useLive()
  live.onNotice('campaigns', () => refreshSoon())
  live.onReset(() => refreshSoon())

  /** Loads as many as are already loaded, so that the list does not become shorter while somebody reads it. */
  async function load(): Promise<void> {
    const mine = ++round
    const wanted = Math.max(PAGE, campaigns.value?.length ?? 0)
    try {
      const found: CampaignSummary[] = []
      let next: string | null = null
      do {
        const page = await ask(next)
        found.push(...page.data)
        next = page.next_cursor
      } while (next !== null && found.length < wanted)
      if (mine !== round) return
      campaigns.value = found
      cursor = next
      hasMore.value = next !== null
      problem.value = undefined
    } catch (error) {
      if (mine === round) problem.value = asProblem(error)
    }
  }

  async function loadMore(): Promise<void> {
    const mine = round
    if (cursor === null) return
    const at = cursor
    cursor = null
    try {
      const page = await ask(at)
      if (mine !== round) return
      const known = new Set(campaigns.value?.map(({ campaign_id }) => campaign_id))
      campaigns.value = [...(campaigns.value ?? []), ...page.data.filter(({ campaign_id }) => !known.has(campaign_id))]
      cursor = page.next_cursor
      hasMore.value = page.has_more
    } catch (error) {
      cursor = at
      problem.value = asProblem(error)
    }
  }

  const ask = (at: string | null) =>
    call('listCampaigns', { query: { status: status.value, limit: PAGE, cursor: at ?? undefined } })

  function refreshSoon(): void {
    if (campaigns.value === undefined) return
    timer ??= setTimeout(() => {
      timer = undefined
      void load()
    }, REFRESH_MS)
  }

  function choose(next: CampaignStatus | undefined): void {
    status.value = next
    campaigns.value = undefined
    void load()
  }

  return { campaigns, status, hasMore, problem, load, loadMore, choose }
})
