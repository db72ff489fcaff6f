import { useThrottleFn } from '@vueuse/core'
import { defineStore } from 'pinia'
import { computed, shallowRef } from 'vue'
import { call } from '../../app/api.ts'
import { useLive } from '../../app/live.ts'
import { useNetwork } from '../../app/network.ts'
import type { Reply } from '../../app/operation-types.ts'

const REFRESH_EVERY_MS = 1_000

/** The number of unread conversations, shown beside the inbox. */
export const useUnread = defineStore('unread', () => {
  const counts = shallowRef<Reply<'countUnread'>>({ live: 0, sandbox: 0, instances: [] })
  const network = useNetwork()
  const live = useLive()
  const loadSoon = useThrottleFn(load, REFRESH_EVERY_MS, true)
  live.onNotice('conversations', () => void loadSoon())
  live.onReset(() => void load())

  /** Only for the networks that the window shows. */
  const chats = computed(() => {
    const { live: onLive, sandbox } = counts.value
    return { all: onLive + sandbox, live: onLive, sandbox }[network.choice]
  })
  const byInstance = computed(() => new Map(counts.value.instances.map((one) => [one.id, one.chats])))

  /** If loading fails, the counts stay until the next notice loads them again. */
  async function load(): Promise<void> {
    counts.value = await call('countUnread').catch(() => counts.value)
  }

  return { chats, byInstance, load }
})
