import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import { call } from '../../app/api.ts'
import { useLive } from '../../app/live.ts'

/** A group, as the phone knows it. */
export interface Group {
  readonly name: string
  readonly participants: readonly string[]
  /** Who waits to be let in, oldest first; empty if this number may not let anybody in. */
  readonly joinRequests: readonly string[]
}

interface GroupPlace {
  readonly instanceId: string
  readonly chat: string
}

const FRESH_MS = 5 * 60_000

/** Groups that were looked at in this window. */
export const useGroups = defineStore('groups', () => {
  const groups = shallowRef<ReadonlyMap<string, Group>>(new Map())
  const asked = new Map<string, { readonly atMs: number }>()
  let shown: GroupPlace | undefined
  const keyOf = (instanceId: string, chat: string) => `${instanceId}/${chat}`

  /** Asks the phone again after a while. A group that cannot be read has no name and nobody to mention. */
  async function load(instanceId: string, chat: string): Promise<void> {
    const key = keyOf(instanceId, chat)
    if (Date.now() - (asked.get(key)?.atMs ?? 0) < FRESH_MS) return
    const question = { atMs: Date.now() }
    asked.set(key, question)
    const answer = await call('getGroupChat', { params: { id: instanceId, group: chat } }).catch(() => undefined)
    if (answer === undefined && asked.get(key) === question) asked.delete(key)
    if (answer === undefined) return
    const participants = answer.participants.map(({ phone }) => phone)
    const joinRequests = answer.join_approval ? await readJoinRequests(instanceId, chat) : []
    // What was asked after a change is newer than this answer.
    if (asked.get(key) !== question) return
    groups.value = new Map(groups.value).set(key, { name: answer.subject, participants, joinRequests })
  }

  /** Only admins can read them. */
  async function readJoinRequests(instanceId: string, chat: string): Promise<string[]> {
    const params = { id: instanceId, group: chat }
    const answer = await call('getGroupChat', { params, query: { include: 'join_requests' } }).catch(() => undefined)
    return answer?.join_requests?.map(({ phone }) => phone) ?? []
  }

  /** @throws Problem */
  async function answerJoinRequest(place: GroupPlace, phone: string, isApproved: boolean): Promise<void> {
    const body = isApproved ? { approve_requests: [phone] } : { reject_requests: [phone] }
    await call('updateGroupChat', { params: { id: place.instanceId, group: place.chat }, body })
    await reload(place)
  }

  async function reload({ instanceId, chat }: GroupPlace): Promise<void> {
    asked.delete(keyOf(instanceId, chat))
    await load(instanceId, chat)
  }

  /** Groups of an instance that changed are read again, those that nobody looks at when somebody does. */
  useLive().onNotice('groups', ({ instance_id: id }) => {
    for (const key of asked.keys()) if (id === undefined || key.startsWith(`${id}/`)) asked.delete(key)
    if (shown !== undefined && (id === undefined || shown.instanceId === id)) void load(shown.instanceId, shown.chat)
  })

  /** Reads it, and again whenever it changes, until another is shown. */
  async function show(place: GroupPlace | undefined): Promise<void> {
    shown = place
    if (place !== undefined) await load(place.instanceId, place.chat)
  }

  const find = (instanceId: string, chat: string): Group | undefined => groups.value.get(keyOf(instanceId, chat))

  return { show, find, answerJoinRequest }
})
