import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import { call } from '../../app/api.ts'

const FRESH_MS = 15_000
const DAY_SECONDS = 86_400

/** The same durations as in WhatsApp's own menu. */
export const TIMERS = [
  { seconds: 0, key: 'off' },
  { seconds: 86_400, key: 'day' },
  { seconds: 604_800, key: 'week' },
  { seconds: 7_776_000, key: 'ninetyDays' },
] as const
export type TimerSeconds = (typeof TIMERS)[number]['seconds']

/** After how long the messages of a chat disappear. Contains the chats that this window has loaded. */
export const useChatTimers = defineStore('chatTimers', () => {
  const seconds = shallowRef<ReadonlyMap<string, number>>(new Map())
  const readAt = new Map<string, number>()
  const keyOf = (instanceId: string, chat: string) => `${instanceId}/${chat}`

  /** Loads the timer again if it is no longer fresh. A timer that cannot be read counts as off. */
  async function load(instanceId: string, chat: string): Promise<void> {
    const key = keyOf(instanceId, chat)
    if (Date.now() - (readAt.get(key) ?? 0) < FRESH_MS) return
    readAt.set(key, Date.now())
    const params = { id: instanceId, group: 'chat', action: 'info' }
    const answer = await call('callEngine', { params, body: { to: chat } }).catch(() => undefined)
    const found = answer && 'result' in answer ? answer.result['disappearing_seconds'] : undefined
    seconds.value = new Map(seconds.value).set(key, typeof found === 'number' ? found : 0)
  }

  /** Sets the timer for everybody in the chat. @throws Problem */
  async function set(instanceId: string, chat: string, wanted: TimerSeconds): Promise<void> {
    const params = { id: instanceId, group: 'chat', action: 'disappearing' }
    await call('callEngine', { params, body: { to: chat, seconds: wanted } })
    const key = keyOf(instanceId, chat)
    readAt.set(key, Date.now())
    seconds.value = new Map(seconds.value).set(key, wanted)
  }

  /** In seconds; 0 if messages do not disappear or the timer is unknown. */
  const of = (instanceId: string, chat: string): number => seconds.value.get(keyOf(instanceId, chat)) ?? 0

  /** In days, rounded up; 0 if messages do not disappear or the timer is unknown. */
  const days = (instanceId: string, chat: string): number => Math.ceil(of(instanceId, chat) / DAY_SECONDS)

  return { load, set, of, days }
})
