import { onScopeDispose, ref, shallowRef, type Ref } from 'vue'
import type { MessageRecord } from '../../../main/capabilities/messages/contract.ts'
import { call } from '../../app/api.ts'
import { useLive } from '../../app/live.ts'
import { asProblem, type Problem } from '../../app/problem.ts'
import { createIntent } from './intent.ts'
import { isFinal } from './message-progress.ts'

export interface SentMessage {
  readonly record: Ref<MessageRecord | undefined>
  readonly problem: Ref<Problem | undefined>
  readonly isBusy: Ref<boolean>
  readonly send: (to: string, text: string) => Promise<void>
  readonly again: () => void
}

/** Notices can be missed while a person watches this message, so it is also polled for one minute. */
const POLL_MS = 1_000
const MAX_POLLS = 60

/** Sends one text message and follows its status until it is final. */
export function useMessage(instanceId: string): SentMessage {
  const record = shallowRef<MessageRecord>()
  const problem = shallowRef<Problem>()
  const isBusy = ref(false)
  const intent = createIntent()
  const params = { id: instanceId }
  let timer: ReturnType<typeof setTimeout> | undefined
  let isOver = false

  const unsubscribe = useLive().onNotice(['messages', 'events'], (notice) => {
    if (notice.instance_id === instanceId || notice.id === instanceId) void poll()
  })
  onScopeDispose(() => {
    unsubscribe()
    clearTimeout(timer)
    isOver = true
  })

  async function send(to: string, text: string): Promise<void> {
    const body = { to, text }
    const key = intent.keyFor(body)
    isBusy.value = true
    problem.value = undefined
    try {
      const { message_id } = await call('sendMessage', { params, body, idempotencyKey: key })
      record.value = await call('getMessage', { params: { ...params, message_id } })
      startPolling()
    } catch (error) {
      const found = asProblem(error)
      // The message may have been sent. Its record is searched by its key, because a retry with another key could
      // send it twice.
      if (found.code === 'upstream_timeout') await findByKey(key).catch(() => (problem.value = found))
      else problem.value = found
    } finally {
      isBusy.value = false
    }
  }

  async function findByKey(key: string): Promise<void> {
    record.value = await call('findMessage', { params, query: { idempotency_key: key } })
    startPolling()
  }

  async function poll(): Promise<void> {
    const id = record.value?.message_id
    if (id === undefined || isFinal(record.value?.status)) return
    // A failed poll is followed by the next one.
    const found = await call('getMessage', { params: { ...params, message_id: id } }).catch(() => undefined)
    if (found && record.value?.message_id === id) record.value = found
  }

  function startPolling(polls = 0): void {
    clearTimeout(timer)
    if (isOver || polls >= MAX_POLLS || isFinal(record.value?.status)) return
    timer = setTimeout(() => void poll().then(() => startPolling(polls + 1)), POLL_MS)
  }

  function again(): void {
    clearTimeout(timer)
    intent.done()
    record.value = undefined
    problem.value = undefined
  }

  return { record, problem, isBusy, send, again }
}
