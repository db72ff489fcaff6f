import { defineStore } from 'pinia'
import { ref } from 'vue'
import { call } from '../../app/api.ts'
import { useLive } from '../../app/live.ts'
import type { Body, Item, Reply } from '../../app/operation-types.ts'
import { PAGE, usePagedList } from './paged-list.ts'

export type Contact = Item<'listContacts'>
export type OptOut = Item<'listOptOuts'>
export type Question = Item<'listOptOutQuestions'>
export type Settings = Reply<'getOptOutSettings'>

const orUndefined = (text: string) => (text.trim() === '' ? undefined : text.trim())

export const useContacts = defineStore('contacts', () => {
  const text = ref('')
  const tag = ref('')
  const tags = ref<Reply<'listContactTags'>['data']>([])
  const list = usePagedList<Contact>((cursor) =>
    call('listContacts', { query: { q: orUndefined(text.value), tag: orUndefined(tag.value), limit: PAGE, cursor } }),
  )
  const live = useLive()
  live.onNotice('contacts', () => void list.refresh())
  live.onReset(() => void list.refresh())

  async function load(): Promise<void> {
    await Promise.all([list.load(), loadTags()])
  }
  async function loadTags(): Promise<void> {
    try {
      tags.value = (await call('listContactTags')).data
    } catch {
      // The list shows the error itself.
    }
  }

  /** @throws Problem */
  async function save(phone: string | undefined, body: Body<'createContact'>): Promise<void> {
    const { phone: number, ...rest } = body
    if (phone === undefined) await call('createContact', { body: { phone: number, ...rest } })
    else await call('updateContact', { params: { phone }, body: rest })
    await load()
  }

  /** @throws Problem */
  async function remove(phone: string): Promise<void> {
    await call('deleteContact', { params: { phone } })
    await load()
  }

  return { text, tag, tags, ...list, load, save, remove }
})

/** Messages that may ask for no more campaigns. */
export const useOptOutQuestions = defineStore('opt-out-questions', () => {
  const list = usePagedList<Question>((cursor) => call('listOptOutQuestions', { query: { limit: PAGE, cursor } }))
  const live = useLive()
  live.onNotice('opt-outs', () => void list.refresh())
  live.onReset(() => void list.refresh())
  return list
})

export const useOptOuts = defineStore('opt-outs', () => {
  const text = ref('')
  const settings = ref<Settings>()
  const list = usePagedList<OptOut>((cursor) =>
    call('listOptOuts', { query: { phone: orUndefined(text.value), limit: PAGE, cursor } }),
  )
  const live = useLive()
  live.onNotice('opt-outs', () => void list.refresh())
  live.onReset(() => void list.refresh())

  /** @throws Problem */
  async function add(body: Body<'createOptOut'>): Promise<void> {
    await call('createOptOut', { body })
    await list.load()
  }

  /** @throws Problem */
  async function lift({ phone, scope }: OptOut): Promise<void> {
    await call('deleteOptOut', { params: { phone }, query: { scope } })
    await list.load()
  }

  /** @throws Problem */
  async function loadSettings(): Promise<void> {
    settings.value = await call('getOptOutSettings')
  }

  /** @throws Problem */
  async function change(body: Body<'updateOptOutSettings'>): Promise<void> {
    settings.value = await call('updateOptOutSettings', { body })
  }

  return { text, settings, ...list, add, lift, loadSettings, change }
})
