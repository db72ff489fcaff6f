import { useTimeoutFn } from '@vueuse/core'
import { onScopeDispose, watch } from 'vue'
import type { CallDirection, CallStatus } from '../../../main/contract/voice.ts'
import { call } from '../../app/api.ts'
import { useLive } from '../../app/live.ts'
import { PAGE, usePagedList } from '../contacts/paged-list.ts'
import type { CallRow } from './call-state.ts'

export interface CallFilter {
  readonly status: CallStatus | undefined
  readonly direction: CallDirection | undefined
  readonly instance_id: string | undefined
}

/** Calls that run send many notices. */
const GATHER_MS = 400

/** Runs something soon after calls have changed, once for several changes, until the screen is left. */
export function onCallsChanged(act: () => void): void {
  const { start, isPending } = useTimeoutFn(act, GATHER_MS, { immediate: false })
  const soon = () => !isPending.value && start()
  const live = useLive()
  onScopeDispose(live.onNotice('voice', soon))
  onScopeDispose(live.onReset(soon))
}

/**
 * The calls of all numbers, the newest first.
 * @param key changes whenever the filter does.
 */
export function useCallList(filter: () => CallFilter, key: () => string) {
  const list = usePagedList<CallRow>((cursor) =>
    call('listAllVoiceCalls', { query: { ...filter(), limit: PAGE, cursor } }),
  )
  watch(
    key,
    () => {
      list.rows.value = undefined
      void list.load()
    },
    { immediate: true },
  )
  onCallsChanged(() => void list.refresh())
  return list
}

/** Scheduled calls, the next one first. */
export function useUpcomingCalls() {
  const list = usePagedList<CallRow>((cursor) =>
    call('listAllVoiceCalls', { query: { order: 'upcoming', limit: PAGE, cursor } }),
  )
  void list.load()
  onCallsChanged(() => void list.refresh())
  return list
}
