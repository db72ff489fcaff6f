import { computed, onScopeDispose, ref, shallowRef, watch } from 'vue'
import { call } from '../../app/api.ts'
import type { LiveCall } from '../calls/call-state.ts'
import { onCallsChanged } from '../calls/use-call-list.ts'
import { useSoundDevices } from './devices.ts'
import { playTone, RINGING, type Tone } from './sound.ts'

/** Calls that ring at the numbers of this account until somebody takes them; they are heard. */
export function useIncoming() {
  const devices = useSoundDevices()
  const ringing = shallowRef<readonly LiveCall[]>([])
  /** Somebody takes it in this window: it rings here no longer. */
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
      // What could not be read now is read at the next notice.
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

/** Nobody has taken it: no agent, and no person. */
const isForUs = ({ direction, status, agent_id: agent }: LiveCall): boolean =>
  direction === 'inbound' && status === 'ringing' && agent === null
