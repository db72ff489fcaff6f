import { useDocumentVisibility, useNow } from '@vueuse/core'
import { computed, onScopeDispose, ref, shallowRef, watch, type ComputedRef, type Ref } from 'vue'
import type { QrView } from '../../../main/contract/instance.ts'
import { api } from '../../app/api.ts'
import { useLive } from '../../app/live.ts'
import { asProblem, type Problem } from '../../app/problem.ts'
import { leftMs, nextPollMs, toPhase, type Phase } from './pairing.ts'

export interface Pairing {
  readonly view: Ref<QrView | undefined>
  readonly problem: Ref<Problem | undefined>
  readonly phase: ComputedRef<Phase>
  readonly leftMs: ComputedRef<number | undefined>
  /** Share of the code's life that is left, 1 to 0. */
  readonly share: ComputedRef<number>
  /** A code has been on its way for so long that something may be in its way. */
  readonly isSlow: ComputedRef<boolean>
  /** Asks for a pairing code to type into this phone; undefined: the QR code alone. */
  readonly askCode: (phone: string | undefined) => Promise<void>
  readonly read: () => Promise<void>
  readonly refresh: () => Promise<void>
}

/** How long after the last one a new pairing may be begun by itself. */
const REST_MS = 3_000
/** How long a code is waited for without a word. */
const PATIENCE_MS = 10_000

/**
 * Pairing of one instance for as long as somebody looks at it: the code is read again when it ends, when a notice
 * speaks of the instance, and once a second while one is on its way.
 * @param keepsGoing begins anew, again and again, when nobody scanned; otherwise only at the first look.
 */
export function usePairing(id: string, { keepsGoing = false }: { keepsGoing?: boolean } = {}): Pairing {
  const view = shallowRef<QrView>()
  const problem = shallowRef<Problem>()
  const now = useNow({ interval: 250 })
  const sight = useDocumentVisibility()
  const lifeMs = ref(60_000)
  let phone: string | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let refreshedAtMs = 0
  let turn = 0
  const end = new AbortController()

  const standing = () => ({ view: view.value, problem: problem.value, nowMs: Date.now() })
  const phase = computed(() => toPhase({ view: view.value, problem: problem.value, nowMs: now.value.getTime() }))
  const left = computed(() => leftMs(view.value, now.value.getTime()))
  const share = computed(() => Math.min(1, (left.value ?? 0) / lifeMs.value))
  const isOnItsWay = computed(() => phase.value === 'loading' || phase.value === 'refreshing')
  const onItsWaySinceMs = ref(Date.now())
  watch(isOnItsWay, () => (onItsWaySinceMs.value = Date.now()))
  const isSlow = computed(() => isOnItsWay.value && now.value.getTime() - onItsWaySinceMs.value > PATIENCE_MS)

  const live = useLive()
  const deaf = live.onNotice(['instances', 'events', 'sandbox'], (notice) => {
    if (notice.topic === 'events' && notice.instance_id === id && notice.type?.startsWith('instance.')) void read()
    if (notice.topic === 'instances' && (notice.id ?? notice.instance_id) === id) void read()
  })
  const deafToResets = live.onReset(() => void read())
  onScopeDispose(() => {
    deaf()
    deafToResets()
    clearTimeout(timer)
    end.abort()
  })
  watch(sight, (state) => void (state === 'visible' && phase.value !== 'connected' && read()))

  const read = () => take(() => api.get<QrView>(`/instances/${id}/qr`, { query: { phone }, signal: end.signal }))

  async function refresh(): Promise<void> {
    refreshedAtMs = Date.now()
    await take(() => api.post<QrView>(`/instances/${id}/qr/refresh`, {}, { signal: end.signal }))
  }

  async function askCode(wanted: string | undefined): Promise<void> {
    phone = wanted
    await read()
  }

  /** The answer to the last question counts; one that comes late says what was. */
  async function take(ask: () => Promise<QrView>): Promise<void> {
    clearTimeout(timer)
    const mine = ++turn
    try {
      const answer = await ask()
      if (mine !== turn || end.signal.aborted) return
      const isFirst = view.value === undefined
      if (answer.qr !== view.value?.qr) lifeMs.value = Math.max(1, leftMs(answer, Date.now()) ?? lifeMs.value)
      view.value = answer
      problem.value = undefined
      if (answer.state === 'expired' && (isFirst || keepsGoing) && mayBeginAnew()) return await refresh()
    } catch (error) {
      if (mine !== turn || end.signal.aborted) return
      problem.value = asProblem(error)
    }
    plan()
  }

  const mayBeginAnew = () => sight.value === 'visible' && Date.now() - refreshedAtMs > REST_MS

  function plan(): void {
    clearTimeout(timer)
    const wait =
      keepsGoing && view.value?.state === 'expired' && problem.value === undefined ? REST_MS : nextPollMs(standing())
    if (wait !== undefined && !end.signal.aborted) timer = setTimeout(() => void read(), wait)
  }

  void read()
  return { view, problem, phase, leftMs: left, share, isSlow, askCode, read, refresh }
}
