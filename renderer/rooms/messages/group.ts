import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import { call } from '../../app/api.ts'
import { useLive } from '../../app/live.ts'

/** A group as the phone reports it. */
export interface Group {
  readonly name: string
  readonly participants: readonly string[]
  /** People who ask to join, oldest first; empty if this number may not approve them. */
  readonly joinRequests: readonly string[]
}

interface GroupPlace {
  readonly instanceId: string
  readonly chat: string
}

const FRESH_MS = 5 * 60_000

/** The groups that were opened in this window. */
export const useGroups = defineStore('groups', () => {
  const groups = shallowRef<ReadonlyMap<string, Group>>(new Map())
  const asked = new Map<string, { readonly atMs: number }>()
  let shown: GroupPlace | undefined
  const keyOf = (instanceId: string, chat: string) => `${instanceId}/${chat}`

  /**
   * Loads the group again if it is no longer fresh. A group that cannot be read has no name and no members to
   * mention.
   */
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
    // A request that was made after a change has a newer answer than this one.
    if (asked.get(key) !== question) return
    groups.value = new Map(groups.value).set(key, { name: answer.subject, participants, joinRequests })
  }

  /** Only admins can read join requests. */
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

  /**
   * Marks all groups of the changed instance as outdated and loads the shown group again. The others are loaded again
   * when they are opened.
   */
  useLive().onNotice('groups', ({ instance_id: id }) => {
    for (const key of asked.keys()) if (id === undefined || key.startsWith(`${id}/`)) asked.delete(key)
    if (shown !== undefined && (id === undefined || shown.instanceId === id)) void load(shown.instanceId, shown.chat)
  })

  /** Loads a group, and loads it again whenever it changes, until another group is shown. */
  async function show(place: GroupPlace | undefined): Promise<void> {
    shown = place
    if (place !== undefined) await load(place.instanceId, place.chat)
  }

  const find = (instanceId: string, chat: string): Group | undefined => groups.value.get(keyOf(instanceId, chat))

  return { show, find, answerJoinRequest }
})
