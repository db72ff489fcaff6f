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
    const params = { id: instanceId, group: 'group', action: 'info' }
    const answer = await call('callEngine', { params, body: { group_id: chat } }).catch(() => undefined)
    const group = answer && 'result' in answer ? toGroup(answer.result) : undefined
    if (group === undefined) readAt.delete(key)
    else groups.value = new Map(groups.value).set(key, group)
  }

  const find = (instanceId: string, chat: string): Group | undefined => groups.value.get(keyOf(instanceId, chat))

  return { load, find }
})

function toGroup(result: unknown): Group | undefined {
  // The action's part of the contract (capabilities/direct): `{name, participants: [{number, admin}]}`.
  const { name, participants } = result as { name?: string; participants?: readonly { number: string | null }[] }
  if (name === undefined || participants === undefined) return undefined
  return { name, participants: participants.flatMap(({ number }) => number ?? []) }
}
