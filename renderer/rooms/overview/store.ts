import { defineStore } from 'pinia'
import { ref, shallowRef, watch } from 'vue'
import type { Event } from '../../../main/capabilities/events/contract.ts'
import type { overviewContract, ActivityRange, SetupStep } from '../../../main/capabilities/overview/contract.ts'
import type { ReplyOf } from '../../../main/contract/operation.ts'
import { api } from '../../app/api.ts'
import { useLive } from '../../app/live.ts'
import { useNetwork } from '../../app/network.ts'
import { asProblem, type Problem } from '../../app/problem.ts'

type Contract = typeof overviewContract
export type Attention = ReplyOf<Contract['listAttention']>['data'][number]
export type Activity = ReplyOf<Contract['getActivity']>
type Setup = ReplyOf<Contract['getSetup']>

/** A busy service sends many notices a second; the figures need not follow each. */
const REFRESH_MS = 2_000
const RECENT = 8

export const SETUP_STEPS: readonly SetupStep[] = ['number', 'message', 'webhook', 'key', 'assistant']

/** What the first screen shows. It is read again while notices arrive, at most every two seconds. */
export const useOverview = defineStore('overview', () => {
  const attention = shallowRef<readonly Attention[]>()
  const activity = shallowRef<Activity>()
  const setup = shallowRef<Setup>()
  const recent = shallowRef<readonly Event[]>()
  const failedDeliveries = ref(0)
  const range = ref<ActivityRange>('24h')
  const problem = ref<Problem>()
  const network = useNetwork()
  const live = useLive()
  let isShown = false
  let timer: ReturnType<typeof setTimeout> | undefined

  async function load(): Promise<void> {
    const query = network.query
    try {
      const [lines, points, steps, events, counts] = await Promise.all([
        api.get<{ data: Attention[] }>('/overview/attention', { query }),
        api.get<Activity>('/overview/activity', { query: { ...query, range: range.value } }),
        api.get<Setup>('/overview/setup'),
        api.get<{ data: Event[] }>('/events', { query: { limit: RECENT } }),
        api.get<{ deliveries: { failed: number } }>('/console/overview'),
      ])
      attention.value = lines.data
      activity.value = points
      setup.value = steps
      recent.value = events.data
      failedDeliveries.value = counts.deliveries.failed
      problem.value = undefined
      if (steps.done.length === SETUP_STEPS.length && !steps.dismissed) await dismiss()
    } catch (error) {
      problem.value = asProblem(error)
    }
  }

  /** Puts the checklist away, for everybody in this account. */
  async function dismiss(): Promise<void> {
    await api.post('/overview/setup/dismiss')
    if (setup.value) setup.value = { ...setup.value, dismissed: true }
  }

  function loadSoon(): void {
    if (!isShown) return
    timer ??= setTimeout(() => {
      timer = undefined
      void load()
    }, REFRESH_MS)
  }
  live.onNotice(['events', 'approvals', 'webhooks', 'deliveries', 'keys', 'service', 'assistants'], loadSoon)
  live.onReset(() => isShown && void load())
  watch([range, () => network.choice], () => isShown && void load())

  /** Called while its screen is shown. */
  function show(isOnScreen: boolean): void {
    isShown = isOnScreen
    if (isOnScreen) void load()
  }

  return { attention, activity, setup, recent, failedDeliveries, range, problem, load, dismiss, show }
})
