import { onScopeDispose, shallowRef, watch, type Ref } from 'vue'
import type { VoiceCall } from '../../../main/contract/voice.ts'
import { call } from '../../app/api.ts'
import { useLive } from '../../app/live.ts'

interface PhoneCall {
  readonly id: string
  readonly to: string
  /** The call record of the called number; undefined if no number can answer the call, so that it only rings. */
  readonly record: VoiceCall | undefined
}

/** How long the simulated network rings where nobody can answer. */
const RINGS_MS = 30_000

/** The call that a simulated phone makes, until it has ended. */
export function usePhoneCall(number: Readonly<Ref<string>>) {
  const current = shallowRef<PhoneCall>()
  const live = useLive()

  /** @returns how many numbers the call rings. */
  async function place(to: string): Promise<number> {
    const begun = await call('callFromSandboxPhone', { params: { number: number.value }, body: { to } })
    if (begun.instance_ids.length === 0) return 0
    current.value = { id: begun.call_id, to, record: undefined }
    if (begun.voice_call === null) setTimeout(() => forget(begun.call_id), RINGS_MS)
    else await read(begun.voice_call)
    return begun.instance_ids.length
  }

  async function read({ instance_id: id, call_id }: { instance_id: string; call_id: string }): Promise<void> {
    const record = await call('getVoiceCall', { params: { id, call_id } })
    if (current.value === undefined) return
    if (record.ended_at === null) current.value = { ...current.value, record }
    else current.value = undefined
  }

  async function hangUp(): Promise<void> {
    const known = current.value
    if (known === undefined) return
    await call('hangUpSandboxCall', { params: { number: number.value, call_id: known.id } })
    forget(known.id)
  }

  function forget(id: string): void {
    if (current.value?.id === id) current.value = undefined
  }

  const look = () => {
    const record = current.value?.record
    if (record !== undefined) void read({ instance_id: record.instance_id, call_id: record.id }).catch(() => {})
  }
  watch(number, () => (current.value = undefined))
  onScopeDispose(live.onNotice('voice', look))
  onScopeDispose(live.onReset(look))
  return { current, place, hangUp }
}
