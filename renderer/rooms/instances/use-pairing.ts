import { useDocumentVisibility } from '@vueuse/core'
import { computed, onScopeDispose, ref, shallowRef, watch, type ComputedRef, type Ref } from 'vue'
import type { QrView } from '../../../main/contract/instance.ts'
import { call } from '../../app/api.ts'
import { useLive } from '../../app/live.ts'
import { asProblem, type Problem } from '../../app/problem.ts'
import { useNowEvery } from '../../parts/now.ts'
import { leftMs, nextPollMs, toPhase, type Phase } from './pairing.ts'
import { followPasskey, passkeyEnd, type PasskeyEnd } from './passkey.ts'
import { useInstances } from './store.ts'

export interface Pairing {
  readonly view: Ref<QrView | undefined>
  readonly problem: Ref<Problem | undefined>
  readonly phase: ComputedRef<Phase>
  /** Why the confirmation with a passkey failed, until another code is requested. */
  readonly end: Ref<PasskeyEnd | undefined>
  readonly leftMs: ComputedRef<number | undefined>
  /** Remaining share of the code's lifetime, from 1 to 0. */
  readonly share: ComputedRef<number>
  /** The code takes so long that something may be wrong. */
  readonly isSlow: ComputedRef<boolean>
  /** Requests a pairing code for this phone; undefined: the QR code only. */
  readonly requestCode: (phone: string | undefined) => Promise<void>
  readonly read: () => Promise<void>
  readonly refresh: () => Promise<void>
}

/** Shortest time between two automatic refreshes. */
const MIN_REFRESH_INTERVAL_MS = 3_000
/** One change of the connection causes several notices. */
const GATHER_MS = 150
/** A notice about a code often arrives just after the code itself was read. */
const SAME_CODE_MS = 1_000
const isAboutCode = (type: string) => type === 'instance.qr.updated' || type === 'instance.connecting'
/** After this time without a code, the screen explains the wait. */
const SLOW_AFTER_MS = 10_000

/**
 * Pairing of one instance while its code is on screen. The code is read again when it expires, when a notice names
 * the instance, and once a second while one is being prepared.
 * @param restarts requests a new code each time one expires without a scan; otherwise, only the first read does.
 */
export function usePairing(id: string, { restarts = false }: { restarts?: boolean } = {}): Pairing {
  const view = shallowRef<QrView>()
  const problem = shallowRef<Problem>()
  const end = ref<PasskeyEnd>()
  const now = useNowEvery(250)
  const visibility = useDocumentVisibility()
  const lifeMs = ref(60_000)
  let phone: string | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let soon: ReturnType<typeof setTimeout> | undefined
  let refreshedAtMs = 0
  let codeReadAtMs = 0
  let isAsking = false
  /** Counts the notices that arrive during a request. */
  let told = 0
  let turn = 0
  const closing = new AbortController()

  const instances = useInstances()
  const live = useLive()
  const snapshot = () => ({ view: view.value, problem: problem.value, nowMs: Date.now() })
  const phase = computed(() =>
    toPhase({
      view: view.value,
      problem: problem.value,
      nowMs: now.value.getTime(),
      isOffline: live.isUnreachable,
      restarts,
      end: end.value,
    }),
  )
  const left = computed(() => leftMs(view.value, now.value.getTime()))
  const share = computed(() => Math.min(1, (left.value ?? 0) / lifeMs.value))
  const isPreparing = computed(() => phase.value === 'loading' || phase.value === 'refreshing')
  const preparingSinceMs = ref(Date.now())
  watch(isPreparing, () => (preparingSinceMs.value = Date.now()))
  const isSlow = computed(() => isPreparing.value && now.value.getTime() - preparingSinceMs.value > SLOW_AFTER_MS)

  const unsubscribe = live.onNotice(['instances', 'events'], (notice) => {
    if ((notice.topic === 'instances' ? (notice.id ?? notice.instance_id) : notice.instance_id) !== id) return
    const type = notice.topic === 'events' ? (notice.type ?? '') : undefined
    if (type?.startsWith('instance.') === false) return
    // The notice is probably about the code that was just read.
    if (type !== undefined && isAboutCode(type) && Date.now() - codeReadAtMs < SAME_CODE_MS) return
    if (isAsking) told++
    else readSoon()
  })
  const unsubscribeReset = live.onReset(() => void read())
  watch(
    () => live.isUnreachable,
    (isUnreachable) => void (!isUnreachable && read()),
  )
  onScopeDispose(() => {
    unsubscribe()
    unsubscribeReset()
    clearTimeout(timer)
    clearTimeout(soon)
    closing.abort()
  })
  watch(visibility, (state) => void (state === 'visible' && phase.value !== 'connected' && read()))

  const read = () => apply(() => call('getInstanceQr', { params: { id }, query: { phone }, signal: closing.signal }))

  async function refresh(): Promise<void> {
    refreshedAtMs = Date.now()
    end.value = undefined
    if (view.value?.passkey) view.value = undefined
    await apply(() => call('refreshInstanceQr', { params: { id }, signal: closing.signal }))
  }

  async function requestCode(wanted: string | undefined): Promise<void> {
    phone = wanted
    await read()
  }

  /** Makes a request and applies its answer, unless a later request was made meanwhile. */
  async function apply(ask: () => Promise<QrView>): Promise<void> {
    clearTimeout(timer)
    clearTimeout(soon)
    const mine = ++turn
    isAsking = true
    let known = told
    try {
      const answer = await ask()
      const isFirst = view.value === undefined
      const isOver = answer.state === 'expired'
      // Read before the code is removed, because the next screen shows the reason.
      const reason = isOver && !isFirst ? await readEnd() : undefined
      if (mine !== turn || closing.signal.aborted) return
      if (answer.qr !== view.value?.qr) {
        lifeMs.value = Math.max(1, leftMs(answer, Date.now()) ?? lifeMs.value)
        if (answer.qr !== null) {
          codeReadAtMs = Date.now()
          known = told
        }
      }
      end.value = reason
      view.value = followPasskey(view.value, answer)
      problem.value = undefined
      if (isOver && !reason && (isFirst || restarts) && mayRefresh()) return await refresh()
    } catch (error) {
      if (mine !== turn || closing.signal.aborted) return
      problem.value = asProblem(error)
    } finally {
      if (mine === turn) isAsking = false
    }
    if (told > known) readSoon()
    else scheduleRead()
  }

  /** Combines the several notices of one change into one read. */
  function readSoon(): void {
    clearTimeout(soon)
    if (!closing.signal.aborted) soon = setTimeout(() => void read(), GATHER_MS)
  }

  async function readEnd(): Promise<PasskeyEnd | undefined> {
    const instance = await instances.read(id)
    return passkeyEnd(instance.last_disconnect_reason, view.value?.passkey !== undefined)
  }

  const mayRefresh = () => visibility.value === 'visible' && Date.now() - refreshedAtMs > MIN_REFRESH_INTERVAL_MS

  function scheduleRead(): void {
    clearTimeout(timer)
    const wait =
      restarts && view.value?.state === 'expired' && !end.value && problem.value === undefined
        ? MIN_REFRESH_INTERVAL_MS
        : nextPollMs(snapshot())
    if (wait !== undefined && !closing.signal.aborted) timer = setTimeout(() => void read(), wait)
  }

  void read()
  return { view, problem, phase, end, leftMs: left, share, isSlow, requestCode, read, refresh }
}
