import type { BaileysEventMap, Contact, GroupMetadata, WACallEvent } from 'baileys'
import { isoTime } from '../../contract/request.ts'
import type { LineEvent, LineEventData } from '../../contract/line-events.ts'
import type { EngineInstance } from '../instance.ts'
import { addressOf } from './jid.ts'
import { learnNumbers } from './join-requests.ts'
import type { OpenLink } from './link.ts'
import type { People, PersonName } from './people.ts'
import type { JoinRequestChange, RawLineEvent } from './raw-line-event.ts'

interface LineEventsDeps {
  readonly people: Pick<People, 'nameOf'>
  readonly publish: (instance: EngineInstance, event: LineEvent) => void
}

/** The library's type allows an address too. */
const PICTURES = ['changed', 'removed'] as const

/** Calls that may be rejected, and names that were reported, for each instance. */
const MOST_CALLS = 100
const MOST_NAMES = 5_000

export type LineEvents = ReturnType<typeof createLineEvents>

/** Calls, groups, presence and contacts, in words of ours. */
export function createLineEvents({ people, publish }: LineEventsDeps) {
  const calls = new Map<string, string>()
  const names = new Map<string, string>()
  const authors = new Map<string, string>()
  /** The last change of requests to join of each instance: whoever asks and withdraws must not seem to wait. */
  const lastRequests = new Map<string, Promise<void>>()

  const nameOf = (instance: EngineInstance, { session }: OpenLink, ...jids: readonly (string | undefined)[]) =>
    people.nameOf(instance, session.keys, personIn(jids))

  async function call(instance: EngineInstance, open: OpenLink, { call: raw }: { call: WACallEvent }) {
    const from = await nameOf(instance, open, raw.from, raw.callerPn, raw.chatId)
    const data = { call_id: raw.id, from, timestamp: isoTime(raw.date.getTime()) }
    const key = `${instance.id} ${raw.id}`
    switch (raw.status) {
      case 'offer': {
        if (!raw.offline) remember(calls, key, raw.from, MOST_CALLS)
        const group_id = raw.groupJid ?? null
        return publish(instance, { type: 'call.offered', data: { ...data, video: raw.isVideo === true, group_id } })
      }
      case 'accept':
        calls.delete(key)
        return publish(instance, { type: 'call.accepted', data })
      case 'reject':
        calls.delete(key)
        return publish(instance, { type: 'call.rejected', data })
      case 'timeout':
      case 'terminate':
        calls.delete(key)
        return publish(instance, { type: 'call.ended', data: { ...data, reason: raw.status } })
      default:
        // The course of an incoming call.
        return undefined
    }
  }

  async function joined(instance: EngineInstance, open: OpenLink, { group }: { group: GroupMetadata }) {
    const participants = await membersOf(instance, open, group.participants)
    const by = await authorOf(instance, open, group)
    publish(instance, { type: 'group.joined', data: { group_id: group.id, by, subject: group.subject, participants } })
  }

  async function group(instance: EngineInstance, open: OpenLink, { update }: { update: Partial<GroupMetadata> }) {
    // Without an author it is an answer to a question of ours.
    if (update.id === undefined || !('author' in update)) return
    const changes: LineEventData['group.updated']['changes'] = {
      ...(update.subject !== undefined && { subject: update.subject }),
      ...('desc' in update && { description: update.desc ?? null }),
      ...(update.announce !== undefined && { announce: update.announce }),
      ...(update.restrict !== undefined && { locked: update.restrict }),
    }
    if (Object.keys(changes).length === 0) return
    const by = await authorOf(instance, open, update)
    publish(instance, { type: 'group.updated', data: { group_id: update.id, by, changes } })
  }

  async function participants(
    instance: EngineInstance,
    open: OpenLink,
    { change }: { change: BaileysEventMap['group-participants.update'] },
  ) {
    const data = {
      ...{ group_id: change.id, action: change.action, by: await authorOf(instance, open, change) },
      participants: await membersOf(instance, open, change.participants),
    }
    publish(instance, { type: 'group.participants_changed', data })
  }

  function inOrder({ id }: EngineInstance, act: () => Promise<void>): Promise<void> {
    const before = lastRequests.get(id) ?? Promise.resolve()
    const acted = before.then(act, act)
    lastRequests.set(id, acted)
    return acted.finally(() => {
      if (lastRequests.get(id) === acted) lastRequests.delete(id)
    })
  }

  async function joinRequests(instance: EngineInstance, open: OpenLink, change: JoinRequestChange) {
    const { groupId: group_id, isCreated, by: author, people: named } = change
    await learnNumbers(open, named)
    const participants = await Promise.all(named.map(({ jid, number }) => nameOf(instance, open, jid, number)))
    const isOwn = named.length === 1 && named[0]?.jid === author
    const by = isOwn ? (participants[0] ?? null) : await authorOf(instance, open, { author })
    const action = isCreated ? 'requested' : isOwn ? 'withdrawn' : 'rejected'
    publish(instance, { type: 'group.join_requests_changed', data: { group_id, by, action, participants } })
  }

  async function presence(
    instance: EngineInstance,
    open: OpenLink,
    { update }: { update: BaileysEventMap['presence.update'] },
  ) {
    const isGroup = addressOf(update.id).kind === 'group'
    for (const [jid, { lastKnownPresence, lastSeen }] of Object.entries(update.presences)) {
      if (lastKnownPresence === 'paused') continue
      const from = await nameOf(instance, open, jid)
      const last_seen_at = lastSeen === undefined ? null : isoTime(lastSeen * 1_000)
      const data = { chat: isGroup ? update.id : from, from, state: lastKnownPresence, last_seen_at }
      publish(instance, { type: 'presence.updated', data })
    }
  }

  async function contact(instance: EngineInstance, open: OpenLink, { contact: raw }: { contact: Partial<Contact> }) {
    const { id = '', notify, imgUrl } = raw
    const picture = PICTURES.find((change) => change === imgUrl)
    if (addressOf(id).kind === 'group') {
      if (picture) publish(instance, { type: 'group.updated', data: { group_id: id, by: null, changes: { picture } } })
      return
    }
    // The library reports the name with every message.
    const isNewName = notify !== undefined && names.get(`${instance.id} ${id}`) !== notify
    if (isNewName) remember(names, `${instance.id} ${id}`, notify, MOST_NAMES)
    if (!isNewName && !picture) return
    const number = await nameOf(instance, open, id)
    if (number === '') return
    const data = { number, ...(isNewName && { name: notify }), ...(picture && { picture }) }
    publish(instance, { type: 'contact.updated', data })
  }

  async function authorOf(
    instance: EngineInstance,
    open: OpenLink,
    { author, authorPn }: { author?: string | undefined; authorPn?: string | undefined },
  ): Promise<string | null> {
    return (await nameOf(instance, open, author, authorPn ?? authors.get(`${instance.id} ${author ?? ''}`))) || null
  }

  const membersOf = (
    instance: EngineInstance,
    open: OpenLink,
    members: readonly { id: string; phoneNumber?: string; lid?: string }[],
  ) => Promise.all(members.map(({ id, phoneNumber, lid }) => nameOf(instance, open, id, phoneNumber, lid)))

  return {
    async receive(instance: EngineInstance, open: OpenLink, raw: RawLineEvent): Promise<void> {
      switch (raw.kind) {
        case 'call':
          return call(instance, open, raw)
        case 'joined':
          return joined(instance, open, raw)
        case 'group':
          return group(instance, open, raw)
        case 'participants':
          return participants(instance, open, raw)
        case 'join_requests':
          return inOrder(instance, () => joinRequests(instance, open, raw))
        case 'presence':
          return presence(instance, open, raw)
        case 'contact':
          return contact(instance, open, raw)
        case 'author':
          return remember(authors, `${instance.id} ${raw.participant}`, raw.number, MOST_NAMES)
      }
    },
    /** The address to reject a call at, while it rings. */
    callerOf: ({ id }: EngineInstance, callId: string): string | undefined => calls.get(`${id} ${callId}`),
  }
}

/** Forgets the oldest beyond `most`. */
function remember(map: Map<string, string>, key: string, value: string, most: number): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > most && oldest !== undefined) map.delete(oldest)
}

function personIn(jids: readonly (string | undefined)[]): PersonName {
  const addresses = jids.map((jid) => addressOf(jid ?? ''))
  const userOf = (kind: string) => addresses.find((address) => address.kind === kind)?.user ?? null
  return { number: userOf('number'), hiddenId: userOf('hidden') }
}
