import { defineStore } from 'pinia'
import { computed, ref, shallowRef, watch } from 'vue'
import type { EndReason, VoiceCall } from '../../../main/contract/voice.ts'
import { call } from '../../app/api.ts'
import { useLive } from '../../app/live.ts'
import { asProblem, type Problem } from '../../app/problem.ts'
import { useSession } from '../../app/session.ts'
import { windowBridge } from '../../app/window-bridge.ts'
import { useSoundDevices } from './devices.ts'
import { MicrophoneError, type MicrophoneFault } from './microphone.ts'
import { createLine, type Line } from './line.ts'

type Phase = 'idle' | 'connecting' | 'ringing' | 'talking' | 'ended'

/** How a call ended: as reported by the service, or with an error before the service had a call. */
export type Ending =
  | { readonly kind: 'reason'; readonly reason: EndReason }
  | { readonly kind: 'microphone'; readonly fault: MicrophoneFault }
  | { readonly kind: 'refused'; readonly problem: Problem }
  | { readonly kind: 'lost' }
  | { readonly kind: 'canceled' }

/** The call of this window. It continues while other screens are shown. */
export const useSoftphone = defineStore('softphone', () => {
  const devices = useSoundDevices()
  const phase = ref<Phase>('idle')
  const to = ref('')
  const instanceId = ref('')
  const record = shallowRef<VoiceCall>()
  const ending = shallowRef<Ending>()
  const answeredAtMs = ref<number>()
  const talkedMs = ref(0)
  const isMuted = ref(false)
  const level = ref(0)
  /** The microphone was disconnected, and no other could be opened. */
  const isUnheard = ref(false)
  /** The other person is on hold until the call is resumed. */
  const isHeld = computed(() => phase.value === 'talking' && typeof record.value?.held_at === 'string')
  const isActive = computed(() => phase.value !== 'idle' && phase.value !== 'ended')
  let line: Line | undefined
  /** Increases with every call, so that late answers for one call do not change the next. */
  let turn = 0

  const dial = (instance: string, number: string): Promise<void> =>
    connect(instance, number, (offer) =>
      call('callFromConsole', { params: { id: instance }, body: { to_number: number, offer } }),
    )

  /** Answers an incoming call. */
  const answer = ({ instance_id: id, id: call_id, from_number: from }: VoiceCall): Promise<void> =>
    connect(id, from ?? '', (offer) => call('answerVoiceCall', { params: { id, call_id }, body: { offer } }))

  async function connect(
    instance: string,
    number: string,
    ask: (offer: string) => Promise<{ call: VoiceCall; answer: string }>,
  ): Promise<void> {
    if (isActive.value) return
    const mine = ++turn
    begin(instance, number)
    try {
      const opened = await createLine({
        open: devices.open,
        speaker: () => devices.speaker,
        onLevel: (now) => (level.value = now),
        onUnheard: (is) => (isUnheard.value = is),
        onBroken: () => void broken(mine),
      })
      if (mine !== turn) return opened.close()
      line = opened
      const begun = await ask(await opened.offer())
      // The person hung up before the service had started the call.
      if (mine !== turn) return await endOnService(begun.call)
      record.value = begun.call
      if (begun.call.direction === 'outbound') opened.ring()
      await opened.accept(begun.answer)
      await lookAgain()
    } catch (error) {
      if (mine === turn) finish(whyNot(error))
    }
  }

  function begin(instance: string, number: string): void {
    phase.value = 'connecting'
    instanceId.value = instance
    to.value = number
    record.value = undefined
    ending.value = undefined
    answeredAtMs.value = undefined
    talkedMs.value = 0
    isMuted.value = false
    isUnheard.value = false
  }

  const whyNot = (error: unknown): Ending =>
    error instanceof MicrophoneError
      ? { kind: 'microphone', fault: error.fault }
      : { kind: 'refused', problem: asProblem(error) }

  /** Reads the call from the service. */
  async function look(): Promise<void> {
    const known = record.value
    if (known === undefined || !isActive.value) return
    const mine = turn
    const params = { id: known.instance_id, call_id: known.id }
    const found = await call('getVoiceCall', { params })
    if (mine === turn) accept(found)
  }

  /** Failures are ignored, because the next notice causes another read. */
  const lookAgain = () => look().catch(() => {})

  function accept(found: VoiceCall): void {
    record.value = found
    if (!isActive.value) return
    if (found.end_reason !== null) return finish({ kind: 'reason', reason: found.end_reason })
    if (found.status === 'ringing' && found.direction === 'outbound') phase.value = 'ringing'
    if (found.status === 'in_progress' && phase.value !== 'talking') {
      phase.value = 'talking'
      answeredAtMs.value = Date.now()
      line?.answered()
    }
  }

  /** The audio connection ended: the service has hung up or is no longer reachable. */
  async function broken(mine: number): Promise<void> {
    if (mine !== turn) return
    await lookAgain()
    if (mine === turn && isActive.value) await hangUp({ kind: 'lost' })
  }

  function finish(how: Ending): void {
    turn++
    if (answeredAtMs.value !== undefined) talkedMs.value = Date.now() - answeredAtMs.value
    line?.close()
    line = undefined
    level.value = 0
    ending.value = how
    phase.value = 'ended'
  }

  async function hangUp(how?: Ending): Promise<void> {
    if (!isActive.value) return
    const known = record.value
    finish(
      how ?? (answeredAtMs.value === undefined ? { kind: 'canceled' } : { kind: 'reason', reason: 'operator_hung_up' }),
    )
    if (known !== undefined) await endOnService(known)
  }

  /** Closing the connection also ends the call, so nothing keeps running if this request fails. */
  async function endOnService({ instance_id: id, id: call_id }: VoiceCall): Promise<void> {
    try {
      record.value = await call('hangUpVoiceCall', { params: { id, call_id } })
    } catch {
      // The connection is closed anyway.
    }
  }

  function mute(is: boolean): void {
    isMuted.value = is
    line?.mute(is)
  }

  function clear(): void {
    if (phase.value === 'ended') phase.value = 'idle'
  }

  const live = useLive()
  live.onNotice('voice', ({ id }) => id === record.value?.id && void lookAgain())
  live.onReset(() => void lookAgain())
  const session = useSession()
  watch(
    () => session.state,
    (state) => state === 'closed' && void hangUp(),
  )
  watch(
    () => devices.microphoneId,
    () => isActive.value && void line?.reopen(),
  )
  watch(
    () => devices.speaker,
    () => isActive.value && void line?.useSpeaker(),
  )
  // In the desktop app, closing hides the window and the call continues; when the app quits, the service ends the
  // call. In a browser, closing the page would end the call, so the browser asks.
  if (windowBridge() === undefined) {
    addEventListener('beforeunload', (event) => {
      if (isActive.value) event.preventDefault()
    })
  }
  addEventListener('pagehide', () => line?.close())

  return {
    ...{ phase, to, instanceId, record, ending, answeredAtMs, talkedMs, isMuted, level, isUnheard, isHeld, isActive },
    ...{ dial, answer, accept, hangUp, mute, clear },
  }
})
