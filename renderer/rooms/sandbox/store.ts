import { defineStore } from 'pinia'
import { computed, ref } from 'vue'
import type { SandboxMessage, SandboxPhone, SpokenMessage } from '../../../main/contract/sandbox.ts'
import type { SettingsBody, SpeechBody } from '../../../main/capabilities/sandbox/contract.ts'
import { call } from '../../app/api.ts'
import { useLive } from '../../app/live.ts'
import type { Body, Reply } from '../../app/operation-types.ts'
import { asProblem, type Problem } from '../../app/problem.ts'
import { useInstances } from '../instances/store.ts'
import type { Fault } from './faults.ts'

/** The account's phones on the simulated network, and all requests that concern them. */
export const useSandbox = defineStore('sandbox', () => {
  const phones = ref<SandboxPhone[]>([])
  const hasMore = ref(false)
  /** The search text. The list contains only the phones that the service found. */
  const search = ref('')
  /** The open phone, which may be on no loaded page. */
  const opened = ref<SandboxPhone>()
  const state = ref<'asking' | 'ready' | 'problem'>('asking')
  const problem = ref<Problem>()
  /** Messages sent from each phone in this window, because the service lists only the messages that phones receive. */
  const sent = ref<Readonly<Record<string, SandboxMessage[]>>>({})
  /** Instances of the simulated network, to which phones write and faults apply. */
  const instances = computed(() => useInstances().all.filter(({ network }) => network === 'sandbox'))
  let cursor: string | null = null
  const live = useLive()

  // Every simulated message causes a notice. While the sandbox is not shown, notices are ignored.
  live.onNotice('sandbox', () => void (location.hash.startsWith('#/sandbox') && load()))
  live.onReset(() => void load())

  async function load(): Promise<void> {
    try {
      // As many as are loaded, so that a scrolled list does not get shorter.
      const limit = Math.min(Math.max(phones.value.length, 50), 200)
      const q = search.value
      const page = await call('listSandboxPhones', { query: { limit, q } })
      // The search text changed meanwhile, and its own request is already running.
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
    const page = await call('listSandboxPhones', { query: { limit: 50, cursor, q } })
    if (q === search.value) take(page, phones.value)
  }

  async function find(words: string): Promise<void> {
    search.value = words
    await load()
  }

  /** Loads one phone, for a link to it. @returns undefined if no phone has this number. */
  async function open(number: string | undefined): Promise<SandboxPhone | undefined> {
    const known = phones.value.find((phone) => phone.number === number)
    const query = { q: number, limit: 50 }
    const found =
      known ?? (number && (await call('listSandboxPhones', { query })).data.find((phone) => phone.number === number))
    opened.value = found || undefined
    return opened.value
  }

  function take(page: Reply<'listSandboxPhones'>, before: readonly SandboxPhone[]): void {
    phones.value = [...before, ...page.data]
    cursor = page.next_cursor
    hasMore.value = page.has_more
  }

  async function create(number: string, settings: SettingsBody): Promise<void> {
    await call('createSandboxPhone', { body: { number, ...settings } })
    await load()
  }

  async function update(number: string, settings: SettingsBody): Promise<void> {
    const phone = await call('updateSandboxPhone', { params: { number }, body: settings })
    phones.value = phones.value.map((other) => (other.number === number ? phone : other))
    if (opened.value?.number === number) opened.value = phone
  }

  const received = (number: string, from?: string) =>
    call('listSandboxPhoneMessages', { params: { number }, query: { limit: 50, cursor: from } })
  async function sendFrom(number: string, body: SpeechBody): Promise<SpokenMessage> {
    const message = await call('speakFromSandboxPhone', { params: { number }, body })
    keepSent(number, message)
    return message
  }
  function keepSent(number: string, message: SandboxMessage): void {
    const others = (sent.value[number] ?? []).filter(({ id }) => id !== message.id)
    sent.value = { ...sent.value, [number]: [...others, message] }
  }

  async function change(number: string, answer: Promise<SandboxMessage>): Promise<SandboxMessage> {
    const message = await answer
    if (message.from === number) keepSent(number, message)
    return message
  }
  async function tap(number: string, id: string, body: Body<'tapSandboxMessage'>): Promise<void> {
    keepSent(number, await call('tapSandboxMessage', { params: { number, id }, body }))
  }
  const edit = (number: string, id: string, text: string) =>
    change(number, call('editSandboxMessage', { params: { number, id }, body: { text } }))
  const deleteMessage = (number: string, id: string) =>
    change(number, call('deleteSandboxMessage', { params: { number, id } }))
  const react = (number: string, id: string, emoji: string) =>
    change(number, call('reactToSandboxMessage', { params: { number, id }, body: { emoji } }))
  const triggerFault = (instanceId: string, kind: Fault, times: number) =>
    call('causeSandboxFault', { params: { id: instanceId }, body: { kind, times } })

  const readCatcher = (name: string, from?: string) =>
    call('readSandboxCatcher', { params: { name }, query: { cursor: from } })
  const setCatcherReply = (name: string, reply: Body<'setSandboxCatcherReply'>) =>
    call('setSandboxCatcherReply', { params: { name }, body: reply })
  const emptyCatcher = (name: string) => call('emptySandboxCatcher', { params: { name } })

  return {
    ...{ phones, hasMore, search, opened, find, open, state, problem, sent, instances, load, loadMore, create, update },
    ...{
      received,
      sendFrom,
      tap,
      edit,
      deleteMessage,
      react,
      triggerFault,
      readCatcher,
      setCatcherReply,
      emptyCatcher,
    },
  }
})
