import { onScopeDispose, ref, shallowRef, watch } from 'vue'
import { call } from '../../app/api.ts'
import { useLive } from '../../app/live.ts'
import type { Reply } from '../../app/operation-types.ts'
import { asProblem, type Problem } from '../../app/problem.ts'
import type { Builder } from './use-builder.ts'

export type CampaignPreview = Reply<'previewCampaign'>

/** Delay after editing, after which the draft is saved too. */
const ASK_MS = 900

/** The service's forecast for a draft, loaded again after every change. */
export function useCampaignPreview(builder: Builder) {
  const data = shallowRef<CampaignPreview>()
  const problem = ref<Problem>()
  const isAsking = ref(false)
  let round = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  async function load(): Promise<void> {
    clearTimeout(timer)
    const mine = ++round
    const id = builder.campaign.value?.campaign_id
    if (id === undefined) return
    isAsking.value = true
    try {
      // The preview uses the saved draft.
      if (!(await builder.save())) return
      const found = await call('previewCampaign', { body: { campaign_id: id } })
      if (mine !== round) return
      data.value = found
      problem.value = undefined
    } catch (error) {
      if (mine === round) problem.value = asProblem(error)
    } finally {
      if (mine === round) isAsking.value = false
    }
  }

  watch(
    () => builder.draft.value,
    () => {
      isAsking.value = true
      clearTimeout(timer)
      timer = setTimeout(() => void load(), ASK_MS)
    },
  )
  const live = useLive()
  watch(
    () => live.isOpen,
    (isOpen) => void (isOpen && problem.value?.status === 0 && !builder.isClosed.value && load()),
  )
  onScopeDispose(() => {
    clearTimeout(timer)
    round = Infinity
  })
  void load()
  return { data, problem, isAsking, load }
}

export type PreviewResource = ReturnType<typeof useCampaignPreview>
