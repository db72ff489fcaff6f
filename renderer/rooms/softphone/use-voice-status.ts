import { onScopeDispose, shallowRef, watch } from 'vue'
import type { VoiceStatus } from '../../../main/contract/voice.ts'
import { call } from '../../app/api.ts'
import { useLive } from '../../app/live.ts'
import { asProblem, type Problem } from '../../app/problem.ts'

/** Whether an instance can make calls. It is read again whenever something about calls changes. */
export function useVoiceStatus(instanceId: () => string | undefined) {
  const status = shallowRef<VoiceStatus>()
  const problem = shallowRef<Problem>()
  let turn = 0

  async function load(): Promise<void> {
    const mine = ++turn
    const id = instanceId()
    if (id === undefined) return
    try {
      const found = await call('getVoice', { params: { id } })
      if (mine === turn) status.value = found
    } catch (error) {
      if (mine === turn) problem.value = asProblem(error)
    }
  }

  /** Enabling voice is free of charge. */
  async function enable(): Promise<void> {
    const id = instanceId()
    if (id === undefined) return
    try {
      status.value = await call('enableVoice', { params: { id } })
      problem.value = undefined
    } catch (error) {
      problem.value = asProblem(error)
    }
  }

  const unsubscribe = useLive().onNotice('voice', () => void load())
  onScopeDispose(() => {
    unsubscribe()
    turn = Infinity
  })
  watch(
    instanceId,
    () => {
      status.value = undefined
      problem.value = undefined
      void load()
    },
    { immediate: true },
  )

  return { status, problem, load, enable }
}

export type VoiceResource = ReturnType<typeof useVoiceStatus>

/** Whether a number can make a call now. */
export const canCallWith = (status: VoiceStatus | undefined): boolean =>
  status?.voice_available === true && status.enabled && status.remaining !== 0
