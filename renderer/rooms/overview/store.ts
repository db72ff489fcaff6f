import { defineStore } from 'pinia'
import { ref, shallowRef, watch } from 'vue'
import type { Event } from '../../../main/capabilities/events/contract.ts'
import type { ActivityRange, SetupStep } from '../../../main/capabilities/overview/contract.ts'
import { useAccess } from '../../app/access.ts'
import { call } from '../../app/api.ts'
import { useLive } from '../../app/live.ts'
import { useNetwork } from '../../app/network.ts'
import type { Item, Reply } from '../../app/operation-types.ts'
import { asProblem, type Problem } from '../../app/problem.ts'

export type Attention = Item<'listAttention'>
export type Activity = Reply<'getActivity'>
type Setup = Reply<'getSetup'>

/** A busy service sends many notices per second, and the figures need not follow each. */
const REFRESH_MS = 2_000
/** The health of a number changes without a notice. */
const HEALTH_MS = 60_000
/** How many events are loaded for the few lines of recent activity. Many events may be equal and share a line. */
const RECENT = 50

export const SETUP_STEPS: readonly SetupStep[] = ['number', 'message', 'webhook', 'key', 'assistant']

/** The data of the first screen. It is loaded again when notices arrive, at most every two seconds. */
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
  const access = useAccess()
  let isShown = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let interval: ReturnType<typeof setInterval> | undefined

  async function load(): Promise<void> {
    const query = network.query
    try {
      const [lines, points, steps, events, counts] = await Promise.all([
        call('listAttention', { query }),
        call('getActivity', { query: { ...query, range: range.value } }),
        call('getSetup'),
        call('listEvents', { query: { limit: RECENT } }),
        call('getOverview'),
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

  /** Dismisses the checklist for everybody in this account. */
  async function dismiss(): Promise<void> {
    await call('dismissSetup')
    if (setup.value) setup.value = { ...setup.value, dismissed: true }
  }

  function loadSoon(): void {
    if (!isShown) return
    timer ??= setTimeout(() => {
      timer = undefined
      void load()
    }, REFRESH_MS)
  }
  live.onNotice(
    [
      'events',
      'approvals',
      'webhooks',
      'deliveries',
      'keys',
      'service',
      'assistants',
      'campaigns',
      'account',
      'billing',
      'opt-outs',
      'templates',
    ],
    loadSoon,
  )
  live.onReset(() => isShown && void load())
  watch([range, () => network.choice, () => access.held], () => isShown && void load())

  /** Called when the screen is shown or hidden. */
  function show(isOnScreen: boolean): void {
    isShown = isOnScreen
    clearInterval(interval)
    if (isOnScreen) interval = setInterval(() => void load(), HEALTH_MS)
    if (isOnScreen) void load()
  }

  return { attention, activity, setup, recent, failedDeliveries, range, problem, load, dismiss, show }
})
