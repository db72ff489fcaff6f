import { computed, onScopeDispose, ref, shallowRef, watch } from 'vue'
import { call } from '../../app/api.ts'
import type { LiveCall } from '../calls/call-state.ts'
import { onCallsChanged } from '../calls/use-call-list.ts'
import { useSoundDevices } from './devices.ts'
import { playTone, RINGING, type Tone } from './sound.ts'

/** Incoming calls of all numbers of this account until somebody answers. A ringing tone plays for them. */
export function useIncoming() {
  const devices = useSoundDevices()
  const ringing = shallowRef<readonly LiveCall[]>([])
  /** The id of the call that is being answered in this window. It no longer rings here. */
  const taken = ref<string>()
  const calls = computed(() => ringing.value.filter(({ id }) => id !== taken.value))
  let tone: Tone | undefined
  let turn = 0

  async function load(): Promise<void> {
    const mine = ++turn
    try {
      const { data } = await call('listLiveVoiceCalls')
      if (mine === turn) ringing.value = data.filter(isForUs)
    } catch {
      // The next notice causes another read.
    }
  }

  function quiet(): void {
    tone?.stop()
    tone = undefined
  }

  watch(calls, (now) => {
    if (now.length === 0) quiet()
    else tone ??= playTone(RINGING, devices.speaker)
  })
  void load()
  onCallsChanged(() => void load())
  onScopeDispose(quiet)
  return { calls, taken, load }
}

/** Whether nobody has answered the call yet, neither an agent nor a person. */
const isForUs = ({ direction, status, agent_id: agent }: LiveCall): boolean =>
  direction === 'inbound' && status === 'ringing' && agent === null
