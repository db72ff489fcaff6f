import { onScopeDispose, ref, shallowRef, watch } from 'vue'
import type { Campaign } from '../../../main/contract/campaign.ts'
import { call } from '../../app/api.ts'
import { useLive } from '../../app/live.ts'
import type { Reply } from '../../app/operation-types.ts'
import { asProblem, type Problem } from '../../app/problem.ts'
import { doneOf } from './campaign-state.ts'
import { addMark, hourlyRate, type Mark } from './rate.ts'

/** A running campaign sends many notices. */
const GATHER_MS = 500
/** Its next send and its end change without a notice. */
const TICK_MS = 15_000

/** One campaign, loaded again whenever it changes. */
export function useCampaign(id: () => string) {
  const campaign = shallowRef<Campaign>()
  const report = shallowRef<Reply<'getCampaignReport'>>()
  const problem = ref<Problem>()
  const rate = ref<number>()
  let marks: readonly Mark[] = []
  let round = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  async function load(): Promise<void> {
    const mine = ++round
    const params = { id: id() }
    try {
      const [found, totals] = await Promise.all([
        call('getCampaign', { params }),
        call('getCampaignReport', { params }),
      ])
      if (mine !== round) return
      report.value = totals
      accept(found)
    } catch (error) {
      if (mine === round) problem.value = asProblem(error)
    }
  }

  function accept(found: Campaign): void {
    campaign.value = found
    problem.value = undefined
    marks = found.status === 'running' ? addMark(marks, { atMs: Date.now(), done: doneOf(found.counts) }) : []
    rate.value = hourlyRate(marks)
  }

  function loadSoon(): void {
    timer ??= setTimeout(() => {
      timer = undefined
      void load()
    }, GATHER_MS)
  }

  const live = useLive()
  const unsubscribe = live.onNotice('campaigns', (notice) => {
    if (notice.id === undefined || notice.id === id()) loadSoon()
  })
  const unsubscribeReset = live.onReset(loadSoon)
  const tick = setInterval(
    () => document.visibilityState === 'visible' && campaign.value?.status === 'running' && loadSoon(),
    TICK_MS,
  )
  onScopeDispose(() => {
    unsubscribe()
    unsubscribeReset()
    clearTimeout(timer)
    clearInterval(tick)
    round = Infinity
  })
  watch(
    id,
    () => {
      campaign.value = undefined
      report.value = undefined
      marks = []
      void load()
    },
    { immediate: true },
  )

  /** @throws Problem */
  const pause = async () => accept(await call('pauseCampaign', { params: { id: id() } }))
  /** @throws Problem */
  const resume = async () => accept(await call('resumeCampaign', { params: { id: id() } }))
  /** @throws Problem */
  const cancel = async () => accept(await call('cancelCampaign', { params: { id: id() }, confirm: true }))
  /** Makes a scheduled campaign a draft again. @throws Problem */
  const unschedule = async () =>
    accept(await call('updateCampaign', { params: { id: id() }, body: { scheduled_at: null } }))

  return { campaign, report, problem, rate, load, pause, resume, cancel, unschedule }
}

export type CampaignResource = ReturnType<typeof useCampaign>
