import { defineStore } from 'pinia'
import { computed, ref } from 'vue'
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
import { useInstances } from '../instances/store.ts'
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
  /** What is searched for; the list holds only what the service found. */
  const search = ref('')
  /** The phone that is open, which may be on no loaded page. */
  const opened = ref<SandboxPhone>()
  const state = ref<'asking' | 'ready' | 'problem'>('asking')
  const problem = ref<Problem>()
  /** What was said on each phone in this window: the service lists only what phones receive. */
  const sent = ref<Readonly<Record<string, SandboxMessage[]>>>({})
  /** Instances of the simulated network, for whom to write to and what to triggerFault. */
  const instances = computed(() => useInstances().all.filter(({ network }) => network === 'sandbox'))
  let cursor: string | null = null
  const live = useLive()

  live.onNotice('sandbox', () => void load())
  live.onReset(() => void load())

  async function load(): Promise<void> {
    try {
      // As many as are on screen, so that a list that was scrolled does not shrink.
      const limit = Math.min(Math.max(phones.value.length, 50), 200)
      const q = search.value
      const page = await api.get<Page<SandboxPhone>>('/sandbox/phones', { query: { limit, q } })
      // Somebody typed on in the meantime: the answer to that is on its way.
      if (q !== search.value) return
      take(page, [])
      if (opened.value !== undefined) await open(opened.value.number)
      problem.value = undefined
      state.value = 'ready'
    } catch (error) {
      problem.value = asProblem(error)
      if (state.value === 'asking') state.value = 'problem'
    }
  }

  async function loadMore(): Promise<void> {
    if (cursor === null) return
    const q = search.value
    const page = await api.get<Page<SandboxPhone>>('/sandbox/phones', { query: { limit: 50, cursor, q } })
    if (q === search.value) take(page, phones.value)
  }

  async function find(words: string): Promise<void> {
    search.value = words
    await load()
  }

  /** Loads one phone, for a link to it. @returns undefined when this number has none. */
  async function open(number: string | undefined): Promise<SandboxPhone | undefined> {
    const known = phones.value.find((phone) => phone.number === number)
    const query = { q: number, limit: 50 }
    const found =
      known ??
      (number &&
        (await api.get<Page<SandboxPhone>>('/sandbox/phones', { query })).data.find((phone) => phone.number === number))
    opened.value = found || undefined
    return opened.value
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
    if (opened.value?.number === number) opened.value = phone
  }

  const received = (number: string, from?: string) =>
    api.get<Page<SandboxMessage>>(`/sandbox/phones/${number}/messages`, {
      query: { limit: 50, ...(from !== undefined && { cursor: from }) },
    })
  async function sendFrom(number: string, body: SpeechBody): Promise<SpokenMessage> {
    const message = await api.post<SpokenMessage>(`/sandbox/phones/${number}/messages`, body)
    keepSent(number, message)
    return message
  }
  function keepSent(number: string, message: SandboxMessage): void {
    const others = (sent.value[number] ?? []).filter(({ id }) => id !== message.id)
    sent.value = { ...sent.value, [number]: [...others, message] }
  }

  async function change(
    number: string,
    id: string,
    what: 'edit' | 'delete' | 'react',
    body: object,
  ): Promise<SandboxMessage> {
    const path = `/sandbox/phones/${number}/messages/${encodeURIComponent(id)}/${what}`
    const message = await api.post<SandboxMessage>(path, body)
    if (message.from === number) keepSent(number, message)
    return message
  }
  const edit = (number: string, id: string, text: string) => change(number, id, 'edit', { text })
  const deleteMessage = (number: string, id: string) => change(number, id, 'delete', {})
  const react = (number: string, id: string, emoji: string) => change(number, id, 'react', { emoji })
  const triggerFault = (instanceId: string, kind: Fault, times: number) =>
    api.post<{ times: number | null }>(`/sandbox/instances/${instanceId}/faults`, { kind, times })

  const readCatcher = (name: string, from?: string) =>
    api.get<CatcherView>(`/sandbox/catcher/${name}`, { query: { ...(from !== undefined && { cursor: from }) } })
  const setCatcherReply = (name: string, reply: CatcherReply) => api.put(`/sandbox/catcher/${name}`, reply)
  const emptyCatcher = (name: string) => api.delete(`/sandbox/catcher/${name}`)

  return {
    ...{ phones, hasMore, search, opened, find, open, state, problem, sent, instances, load, loadMore, create, update },
    ...{ received, sendFrom, edit, deleteMessage, react, triggerFault, readCatcher, setCatcherReply, emptyCatcher },
  }
})
