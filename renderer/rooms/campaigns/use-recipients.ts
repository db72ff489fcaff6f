import { onScopeDispose, ref, shallowRef, watch } from 'vue'
import type { CampaignRecipient, RecipientStatus } from '../../../main/contract/campaign-recipient.ts'
import { call } from '../../app/api.ts'
import { useLive } from '../../app/live.ts'
import type { Reply } from '../../app/operation-types.ts'
import { asProblem, type Problem } from '../../app/problem.ts'

/** Filter of the list: by state, or by who replied or opted out. */
export type RecipientGroup = RecipientStatus | 'replied' | 'opted_out'

export interface RecipientFilter {
  readonly status: RecipientGroup | undefined
  readonly search: string
}

const PAGE = 200
/** A running campaign sends many notices; the list is updated less often. */
const REFRESH_MS = 1_500

/** Longer lists are not reloaded completely; scrolling or searching loads them. */
const MOST_REFRESHED = 2_000

/** The people of a campaign, loaded page by page while scrolling; loaded ones are kept current. */
export function useRecipients(campaignId: () => string, filter: () => RecipientFilter) {
  const rows = shallowRef<readonly CampaignRecipient[]>([])
  const state = ref<'asking' | 'ready' | 'problem'>('asking')
  const problem = ref<Problem>()
  const hasMore = ref(false)
  let cursor: string | null = null
  let round = 0
  let isLoadingMore = false
  let timer: ReturnType<typeof setTimeout> | undefined

  async function load(): Promise<void> {
    const mine = ++round
    state.value = 'asking'
    rows.value = []
    await read(mine, null, (page) => (rows.value = page.data))
  }

  async function loadMore(): Promise<void> {
    if (cursor === null || isLoadingMore) return
    isLoadingMore = true
    await read(round, cursor, (page) => (rows.value = [...rows.value, ...page.data]))
    isLoadingMore = false
  }

  async function read(
    mine: number,
    at: string | null,
    use: (page: Reply<'listCampaignRecipients'>) => void,
  ): Promise<void> {
    try {
      const page = await ask(at, PAGE)
      if (mine !== round) return
      use(page)
      cursor = page.next_cursor
      hasMore.value = page.has_more
      problem.value = undefined
      state.value = 'ready'
    } catch (error) {
      if (mine !== round) return
      problem.value = asProblem(error)
      state.value = 'problem'
    }
  }

  function ask(at: string | null, limit: number): Promise<Reply<'listCampaignRecipients'>> {
    const { status, search } = filter()
    return call('listCampaignRecipients', {
      params: { id: campaignId() },
      query: { status, search: search.trim() || undefined, limit, cursor: at ?? undefined },
    })
  }

  /** Reloads only what is on screen, because the order of the list does not change. */
  async function refresh(): Promise<void> {
    if (state.value !== 'ready' || rows.value.length > MOST_REFRESHED) return
    const mine = round
    try {
      const found: CampaignRecipient[] = []
      let at: string | null = null
      do {
        const page = await ask(at, PAGE)
        found.push(...page.data)
        at = page.next_cursor
      } while (at !== null && found.length < rows.value.length)
      if (mine === round) {
        rows.value = found
        cursor = at
        hasMore.value = at !== null
      }
    } catch {
      // The next notice asks again.
    }
  }

  const live = useLive()
  const unsubscribe = live.onNotice('campaigns', ({ id }) => {
    if (id !== undefined && id !== campaignId()) return
    timer ??= setTimeout(() => {
      timer = undefined
      void refresh()
    }, REFRESH_MS)
  })
  const unsubscribeReset = live.onReset(() => void load())
  onScopeDispose(() => {
    unsubscribe()
    unsubscribeReset()
    clearTimeout(timer)
    round = Infinity
  })
  watch([campaignId, filter], () => void load(), { immediate: true, deep: true })

  return { rows, state, problem, hasMore, load, loadMore }
}
