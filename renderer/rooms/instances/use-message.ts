import { onScopeDispose, ref, shallowRef, type Ref } from 'vue'
import type { MessageRecord } from '../../../main/capabilities/messages/contract.ts'
import { api } from '../../app/api.ts'
import { useLive } from '../../app/live.ts'
import { asProblem, type Problem } from '../../app/problem.ts'
import { createIntent } from './intent.ts'
import { isFinal } from './message-progress.ts'

export interface OneMessage {
  readonly record: Ref<MessageRecord | undefined>
  readonly problem: Ref<Problem | undefined>
  readonly isBusy: Ref<boolean>
  readonly send: (to: string, text: string) => Promise<void>
  readonly again: () => void
}

/** Somebody watches this one message: until its end it is also looked at unasked, for a minute. */
const LOOK_MS = 1_000
const LOOKS_AT_MOST = 60

/** Sends one text and follows it to its end. */
export function useMessage(instanceId: string): OneMessage {
  const record = shallowRef<MessageRecord>()
  const problem = shallowRef<Problem>()
  const isBusy = ref(false)
  const intent = createIntent()
  const path = `/instances/${instanceId}/messages`
  let timer: ReturnType<typeof setTimeout> | undefined
  let isOver = false

  const deaf = useLive().onNotice(['messages', 'events'], (notice) => {
    if (notice.instance_id === instanceId || notice.id === instanceId) void look()
  })
  onScopeDispose(() => {
    deaf()
    clearTimeout(timer)
    isOver = true
  })

  async function send(to: string, text: string): Promise<void> {
    const body = { to, text }
    const key = intent.keyFor(body)
    isBusy.value = true
    problem.value = undefined
    try {
      const headers = { 'idempotency-key': key }
      const { message_id } = await api.post<{ message_id: string }>(path, body, { headers })
      record.value = await api.get<MessageRecord>(`${path}/${message_id}`)
      follow()
    } catch (error) {
      const found = asProblem(error)
      // It may have gone out: its record says so, and a second send under another key could be a second message.
      if (found.code === 'upstream_timeout') await lookUp(key).catch(() => (problem.value = found))
      else problem.value = found
    } finally {
      isBusy.value = false
    }
  }

  async function lookUp(key: string): Promise<void> {
    record.value = await api.get<MessageRecord>(path, { query: { idempotency_key: key } })
    follow()
  }

  async function look(): Promise<void> {
    const id = record.value?.message_id
    if (id === undefined || isFinal(record.value?.status)) return
    // A look that fails is followed by the next one.
    const found = await api.get<MessageRecord>(`${path}/${id}`).catch(() => undefined)
    if (found && record.value?.message_id === id) record.value = found
  }

  function follow(looks = 0): void {
    clearTimeout(timer)
    if (isOver || looks >= LOOKS_AT_MOST || isFinal(record.value?.status)) return
    timer = setTimeout(() => void look().then(() => follow(looks + 1)), LOOK_MS)
  }

  function again(): void {
    clearTimeout(timer)
    intent.done()
    record.value = undefined
    problem.value = undefined
  }

  return { record, problem, isBusy, send, again }
}
