import { defineStore } from 'pinia'
import { ref } from 'vue'
import type {
  CatcherReply,
  CatcherView,
  SandboxMessage,
  SandboxPhone,
  SpokenMessage,
} from '../../../main/contract/sandbox.ts'
import type { SettingsBody, SpeechBody } from '../../../main/capabilities/sandbox/contract.ts'
import { api } from '../../app/api.ts'
import { useLive } from '../../app/live.ts'
import { asProblem, type Problem } from '../../app/problem.ts'
import type { Fault } from './faults.ts'

interface Page<T> {
  readonly data: T[]
  readonly next_cursor: string | null
  readonly has_more: boolean
}

/** The account's phones on the simulated network, and everything that is asked of the service about it. */
export const useSandbox = defineStore('sandbox', () => {
  const phones = ref<SandboxPhone[]>([])
  const hasMore = ref(false)
  const state = ref<'asking' | 'ready' | 'problem'>('asking')
  const problem = ref<Problem>()
  let cursor: string | null = null
  const live = useLive()

  live.onNotice('sandbox', () => void load())
  live.onReset(() => void load())

  async function load(): Promise<void> {
    try {
      // As many as are on screen, so that a list that was scrolled does not shrink.
      const limit = Math.min(Math.max(phones.value.length, 50), 200)
      take(await api.get<Page<SandboxPhone>>('/sandbox/phones', { query: { limit } }), [])
      problem.value = undefined
      state.value = 'ready'
    } catch (error) {
      problem.value = asProblem(error)
      if (state.value === 'asking') state.value = 'problem'
    }
  }

  async function loadMore(): Promise<void> {
    if (cursor === null) return
    take(await api.get<Page<SandboxPhone>>('/sandbox/phones', { query: { limit: 50, cursor } }), phones.value)
  }

  function take(page: Page<SandboxPhone>, before: readonly SandboxPhone[]): void {
    phones.value = [...before, ...page.data]
    cursor = page.next_cursor
    hasMore.value = page.has_more
  }

  async function create(number: string, settings: SettingsBody): Promise<void> {
    await api.post<SandboxPhone>('/sandbox/phones', { number, ...settings })
    await load()
  }

  async function update(number: string, settings: SettingsBody): Promise<void> {
    const phone = await api.patch<SandboxPhone>(`/sandbox/phones/${number}`, settings)
    phones.value = phones.value.map((other) => (other.number === number ? phone : other))
  }

  const at = (number: string, id: string) => `/sandbox/phones/${number}/messages/${encodeURIComponent(id)}`
  const received = (number: string, from?: string) =>
    api.get<Page<SandboxMessage>>(`/sandbox/phones/${number}/messages`, {
      query: { limit: 50, ...(from !== undefined && { cursor: from }) },
    })
  const speak = (number: string, body: SpeechBody) =>
    api.post<SpokenMessage>(`/sandbox/phones/${number}/messages`, body)
  const edit = (number: string, id: string, text: string) =>
    api.post<SandboxMessage>(`${at(number, id)}/edit`, { text })
  const takeBack = (number: string, id: string) => api.post<SandboxMessage>(`${at(number, id)}/delete`)
  const react = (number: string, id: string, emoji: string) =>
    api.post<SandboxMessage>(`${at(number, id)}/react`, { emoji })
  const strike = (instanceId: string, kind: Fault, times: number) =>
    api.post<{ times: number | null }>(`/sandbox/instances/${instanceId}/faults`, { kind, times })

  const readCatcher = (name: string, from?: string) =>
    api.get<CatcherView>(`/sandbox/catcher/${name}`, { query: { ...(from !== undefined && { cursor: from }) } })
  const setCatcherReply = (name: string, reply: CatcherReply) => api.put(`/sandbox/catcher/${name}`, reply)
  const emptyCatcher = (name: string) => api.delete(`/sandbox/catcher/${name}`)

  return {
    ...{ phones, hasMore, state, problem, load, loadMore, create, update },
    ...{ received, speak, edit, takeBack, react, strike, readCatcher, setCatcherReply, emptyCatcher },
  }
})
