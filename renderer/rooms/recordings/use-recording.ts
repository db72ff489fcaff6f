import { onScopeDispose, shallowRef, watch } from 'vue'
import type { CallReview, VoiceCall, VoiceRecording } from '../../../main/contract/voice.ts'
import { call } from '../../app/api.ts'
import { useLive } from '../../app/live.ts'
import type { Reply } from '../../app/operation-types.ts'
import { asProblem, type Problem } from '../../app/problem.ts'

export interface LoadedRecording {
  readonly recording: VoiceRecording
  readonly call: VoiceCall
  readonly review: CallReview
  readonly peaks: Reply<'getVoiceRecordingPeaks'>
}

/** A recording with all details of its call, loaded again when the summary arrives. */
export function useRecording(place: () => { readonly instanceId: string; readonly recordingId: string }) {
  const loaded = shallowRef<LoadedRecording>()
  const problem = shallowRef<Problem>()
  let turn = 0

  async function load(): Promise<void> {
    const mine = ++turn
    try {
      const found = await read()
      if (mine !== turn) return
      loaded.value = found
      problem.value = undefined
    } catch (error) {
      if (mine === turn) problem.value = asProblem(error)
    }
  }

  async function read(): Promise<LoadedRecording> {
    const { instanceId: id, recordingId: recording_id } = place()
    const [recording, peaks] = await Promise.all([
      call('getVoiceRecording', { params: { id, recording_id } }),
      loaded.value?.peaks ?? call('getVoiceRecordingPeaks', { params: { id, recording_id } }),
    ])
    const params = { id, call_id: recording.call_id }
    const [made, review] = await Promise.all([call('getVoiceCall', { params }), call('getVoiceCallReview', { params })])
    return { recording, call: made, review, peaks }
  }

  const live = useLive()
  const unsubscribe = live.onNotice('voice', ({ id }) => {
    if (id === undefined || id === loaded.value?.recording.call_id) void load()
  })
  const unsubscribeReset = live.onReset(() => void load())
  onScopeDispose(() => {
    unsubscribe()
    unsubscribeReset()
    turn = Infinity
  })
  watch(
    () => JSON.stringify(place()),
    () => {
      loaded.value = undefined
      problem.value = undefined
      void load()
    },
    { immediate: true },
  )

  return { loaded, problem, load }
}
