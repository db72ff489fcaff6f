import { computed, reactive, ref, shallowRef } from 'vue'
import { LIMITS } from '../../../main/contract/limits.ts'
import type { VoiceCall } from '../../../main/contract/voice.ts'
import { call } from '../../app/api.ts'
import type { Body } from '../../app/operation-types.ts'
import { asProblem, type Problem } from '../../app/problem.ts'
import { useUnsaved } from '../../app/unsaved.ts'
import { digitsOf } from '../messages/number.ts'
import type { NumberList, SkippedNumber } from './call-numbers.ts'
import { findErrors, intervalMsOf, startOf, type ScheduleFields } from './schedule-fields.ts'

export type Outcome =
  | { readonly kind: 'one'; readonly call: VoiceCall }
  | { readonly kind: 'many'; readonly calls: readonly VoiceCall[]; readonly skipped: readonly SkippedNumber[] }

/** Between the starts of two calls. */
const USUAL_EVERY = 30

/** The form that schedules one call or many. */
export function useSchedule(given: Partial<ScheduleFields>) {
  const fields = reactive<ScheduleFields>({
    ...{ mode: 'one', instanceId: undefined, agentId: undefined, to: '', isLater: false, at: '' },
    ...{ every: USUAL_EVERY, unit: 'seconds' },
    ...given,
  })
  /** The pasted text; `list` is its parsed form. */
  const pasted = ref('')
  const list = shallowRef<NumberList>()
  /** Kept when another list is started. */
  const keptEvery = ref(USUAL_EVERY)
  const isTried = ref(false)
  const isBusy = ref(false)
  const problem = ref<Problem>()
  const outcome = shallowRef<Outcome>()
  const errors = computed(() => findErrors(fields, list.value, Date.now()))
  /** The key of each sent request: a repeat after a lost answer schedules nothing twice. */
  let sent = { text: '', key: '' }

  const numbers = computed(() => {
    if (fields.mode === 'many') return list.value?.numbers ?? []
    const digits = digitsOf(fields.to)
    return digits === undefined ? [] : [digits]
  })

  async function submit(): Promise<void> {
    isTried.value = true
    problem.value = undefined
    if (Object.keys(errors.value).length > 0 || isBusy.value) return
    isBusy.value = true
    try {
      outcome.value = await send()
      sent = { text: '', key: '' }
    } catch (error) {
      problem.value = asProblem(error)
    } finally {
      isBusy.value = false
    }
  }

  async function send(): Promise<Outcome> {
    const { instanceId = '', agentId = '' } = fields
    const params = { id: instanceId }
    const when = fields.isLater ? { scheduled_at: new Date(startOf(fields, 0)).toISOString() } : {}
    if (fields.mode === 'one') {
      const body = { to_number: numbers.value[0] ?? '', agent_id: agentId, ...when }
      return { kind: 'one', call: await call('scheduleVoiceCall', { params, body, idempotencyKey: keyFor(body) }) }
    }
    const body: Body<'scheduleVoiceCallBatch'> = {
      ...{ numbers: [...numbers.value], agent_id: agentId, ...when },
      interval_seconds: Math.round(intervalMsOf(fields) / 1_000),
    }
    const { calls, skipped } = await call('scheduleVoiceCallBatch', { params, body, idempotencyKey: keyFor(body) })
    return { kind: 'many', calls, skipped: [...(list.value?.skipped ?? []), ...skipped] }
  }

  function keyFor(body: object): string {
    const text = JSON.stringify([fields.instanceId, body])
    if (text !== sent.text) sent = { text, key: crypto.randomUUID() }
    return sent.key
  }

  /** Number, agent and interval stay; the people are cleared, so that nobody is called twice by accident. */
  function startOver(): void {
    outcome.value = undefined
    list.value = undefined
    pasted.value = ''
    fields.to = ''
    keptEvery.value = fields.every
    isTried.value = false
  }

  useUnsaved({
    isDirty: () =>
      outcome.value === undefined &&
      (fields.to !== (given.to ?? '') ||
        fields.every !== keptEvery.value ||
        list.value !== undefined ||
        pasted.value.trim() !== ''),
    discard: startOver,
  })

  const count = computed(() => Math.min(numbers.value.length, LIMITS.voiceBatch))
  return { fields, pasted, list, count, errors, isTried, isBusy, problem, outcome, submit, startOver }
}

export type ScheduleResource = ReturnType<typeof useSchedule>
