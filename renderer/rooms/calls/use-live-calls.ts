import { ref, shallowRef } from 'vue'
import { call } from '../../app/api.ts'
import { asProblem, type Problem } from '../../app/problem.ts'
import type { LiveCall } from './call-state.ts'
import { onCallsChanged } from './use-call-list.ts'

/** Calls that are being dialed, ringing or running, the longest first. */
export function useLiveCalls() {
  const calls = shallowRef<readonly LiveCall[]>()
  const problem = ref<Problem>()
  let turn = 0

  async function load(): Promise<void> {
    const mine = ++turn
    try {
      const { data } = await call('listLiveVoiceCalls')
      if (mine !== turn) return
      calls.value = data
      problem.value = undefined
    } catch (error) {
      if (mine === turn) problem.value = asProblem(error)
    }
  }

  void load()
  onCallsChanged(() => void load())
  return { calls, problem, load }
}
