import { onScopeDispose, shallowRef, watch, type Ref } from 'vue'
import type { SandboxCall } from '../../../main/contract/sandbox.ts'
import { call } from '../../app/api.ts'
import { useLive } from '../../app/live.ts'

/** Calls from our numbers to a simulated phone that are ringing or answered. */
export function useCallsToPhone(number: Readonly<Ref<string>>) {
  const calls = shallowRef<readonly SandboxCall[]>([])
  const live = useLive()

  async function load(): Promise<void> {
    const wanted = number.value
    const { data } = await call('listCallsToSandboxPhone', { params: { number: wanted } })
    if (wanted === number.value) calls.value = data
  }
  const paramsOf = ({ call_id }: SandboxCall) => ({ params: { number: number.value, call_id } })
  const answer = (one: SandboxCall) => call('answerSandboxCall', paramsOf(one))
  const hangUp = (one: SandboxCall) => call('hangUpSandboxCall', paramsOf(one)).then(load)

  const look = () => void load().catch(() => {})
  watch(number, look, { immediate: true })
  onScopeDispose(live.onNotice('voice', look))
  onScopeDispose(live.onReset(look))
  return { calls, answer, hangUp }
}
