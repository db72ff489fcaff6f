import { defineStore } from 'pinia'
import { computed, ref, watch } from 'vue'
import { LIMITS } from '../../../main/contract/limits.ts'
import type { VoiceCall } from '../../../main/contract/voice.ts'
import { call } from '../../app/api.ts'
import { useSoftphone } from './call.ts'

/** Hold, keys and transfer for the call of this window. The typed text is kept while other screens are shown. */
export const useCallControls = defineStore('call-controls', () => {
  const phone = useSoftphone()
  const panel = ref<'keys' | 'transfer'>()
  const pressed = ref('')
  const transferTo = ref('')
  const changing = ref<'hold' | 'transfer'>()
  const isTalking = computed(() => phone.phase === 'talking')
  /** Only calls over a SIP trunk support these controls. */
  const isThere = computed(() => isTalking.value && phone.record?.gateway === 'sip')
  const transfer = computed(() => (isTalking.value ? (phone.record?.transfer ?? undefined) : undefined))
  let waiting = ''
  let isSending = false

  watch(
    () => phone.record?.id,
    () => {
      panel.value = undefined
      pressed.value = ''
      transferTo.value = ''
      waiting = ''
    },
  )

  const paramsOf = ({ instance_id: id, id: call_id }: VoiceCall) => ({ id, call_id })

  /** Ignores late answers for an earlier call. */
  function accept(found: VoiceCall): void {
    if (phone.record?.id === found.id) phone.accept(found)
  }

  async function change(what: 'hold' | 'transfer', act: (of: VoiceCall) => Promise<VoiceCall>): Promise<void> {
    const known = phone.record
    if (known === undefined || changing.value !== undefined) return
    changing.value = what
    try {
      accept(await act(known))
    } finally {
      changing.value = undefined
    }
  }

  /** @throws Problem */
  const hold = (is: boolean): Promise<void> =>
    change('hold', (of) => call(is ? 'holdVoiceCall' : 'resumeVoiceCall', { params: paramsOf(of) }))

  /** @throws Problem */
  const transferCall = (number: string): Promise<void> =>
    change('transfer', (of) => call('transferVoiceCall', { params: paramsOf(of), body: { to_number: number } }))

  /** Keys that are pressed faster than their tones play are sent together, in order. @throws Problem */
  async function press(key: string): Promise<void> {
    const known = phone.record
    if (known === undefined) return
    pressed.value += key
    waiting += key
    if (isSending) return
    isSending = true
    try {
      while (waiting !== '' && phone.record?.id === known.id) {
        const digits = waiting.slice(0, LIMITS.voiceDigits)
        waiting = waiting.slice(digits.length)
        await call('sendVoiceCallDigits', { params: paramsOf(known), body: { digits } }).catch((error: unknown) => {
          pressed.value = pressed.value.slice(0, -(digits.length + waiting.length))
          waiting = ''
          throw error
        })
      }
    } finally {
      isSending = false
    }
  }

  return {
    ...{ panel, pressed, transferTo, changing, isThere, transfer },
    ...{ hold, press, transferCall },
  }
})
