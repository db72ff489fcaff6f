import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import { call } from '../../app/api.ts'

/** A group, as the phone knows it. */
export interface Group {
  readonly name: string
  readonly participants: readonly string[]
}

const FRESH_MS = 5 * 60_000

/** Groups that were looked at in this window. */
export const useGroups = defineStore('groups', () => {
  const groups = shallowRef<ReadonlyMap<string, Group>>(new Map())
  const readAt = new Map<string, number>()
  const keyOf = (instanceId: string, chat: string) => `${instanceId}/${chat}`

  /** Asks the phone again after a while. A group that cannot be read has no name and nobody to mention. */
  async function load(instanceId: string, chat: string): Promise<void> {
    const key = keyOf(instanceId, chat)
    if (Date.now() - (readAt.get(key) ?? 0) < FRESH_MS) return
    readAt.set(key, Date.now())
    const answer = await call('getGroupChat', { params: { id: instanceId, group: chat } }).catch(() => undefined)
    if (answer === undefined) return void readAt.delete(key)
    const group = { name: answer.subject, participants: answer.participants.map(({ phone }) => phone) }
    groups.value = new Map(groups.value).set(key, group)
  }

  const find = (instanceId: string, chat: string): Group | undefined => groups.value.get(keyOf(instanceId, chat))

  return { load, find }
})
