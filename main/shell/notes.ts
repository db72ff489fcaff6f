import type { EventData } from '../contract/events.ts'
import type { InstanceRecord } from '../contract/instance.ts'
import type { NoteKind } from '../contract/window-bridge.ts'
import type { Webhook } from '../capabilities/webhooks/contract.ts'
import type { NoteBatch } from './note-batcher.ts'
import type { Words } from './words/shape.ts'

/** A notification of the operating system. */
export interface Note {
  readonly title: string
  readonly body: string
  /** The page that opens when it is clicked. */
  readonly route: string
}

interface NoteContext {
  readonly words: Words
  /** Reads an operation as the person at the window: its answer, or undefined if it fails. */
  readonly read: (path: string) => Promise<unknown>
}

type NoteBuilder = (gathered: NoteBatch, around: NoteContext) => Promise<Note | undefined>

/** Further events are only counted and not read. */
const MAX_READ = 50

/** The notification for a batch; undefined if nothing is worth one. */
export const NOTE_BUILDERS: Readonly<Record<NoteKind, NoteBuilder>> = { lost, deliveries, messages }

/** A disconnect that a person intended is not a loss. */
const INTENDED: ReadonlySet<string | null> = new Set(['user', 'logout', 'qr_expired'])

async function lost({ things: ids }: NoteBatch, { words, read }: NoteContext): Promise<Note | undefined> {
  const many = (count: number) => ({ ...words.lost.many(count), route: '/instances' })
  if (ids.size > MAX_READ) return many(ids.size)
  const lost: InstanceRecord[] = []
  for (const id of ids) {
    const instance = (await read(`/v1/instances/${id}`)) as InstanceRecord | undefined
    if (instance !== undefined && isLost(instance)) lost.push(instance)
  }
  const [first] = lost
  if (first === undefined) return undefined
  return lost.length > 1 ? many(lost.length) : { ...words.lost.one(first.name), route: `/instances/${first.id}` }
}

/** It may have reconnected while the notification waited. */
const isLost = ({ status, last_disconnect_reason: reason }: InstanceRecord) =>
  (status === 'disconnected' || status === 'auth_failed') && !INTENDED.has(reason)

async function deliveries({ things: ids }: NoteBatch, { words, read }: NoteContext): Promise<Note | undefined> {
  const list = (await read('/v1/webhooks')) as { readonly data: readonly Webhook[] } | undefined
  const failing = (list?.data ?? []).filter(({ id }) => ids.has(id))
  const [first] = failing
  if (first === undefined) return undefined
  if (failing.length > 1) return { ...words.deliveries.many(failing.length), route: '/webhooks' }
  // The path of a URL often contains a secret.
  const { host } = new URL(first.url)
  const said = first.disabled_reason === null ? words.deliveries.failed(host) : words.deliveries.off(host)
  return { ...said, route: `/webhooks/${first.id}` }
}

interface ReceivedEvent {
  readonly instance: { readonly id: string }
  readonly data: EventData['message.received']
}

/** Shows the sender, never the text: anyone near the screen may read it. */
async function messages({ sinceMs }: NoteBatch, { words, read }: NoteContext): Promise<Note | undefined> {
  const since = encodeURIComponent(new Date(sinceMs).toISOString())
  const page = (await read(`/v1/events?type=message.received&since=${since}&limit=100`)) as
    | { readonly data: readonly ReceivedEvent[]; readonly has_more: boolean }
    | undefined
  const inbound = (page?.data ?? []).filter(({ data }) => !data.from_me)
  const [last] = inbound
  if (last === undefined) return undefined
  const { id } = last.instance
  const [instances, chats] = [
    new Set(inbound.map(({ instance }) => instance.id)),
    new Set(inbound.map(({ instance, data }) => `${instance.id} ${data.chat}`)),
  ]
  if (chats.size > 1)
    return { ...words.messages.many(chats.size), route: instances.size > 1 ? '/messages' : `/messages/${id}` }
  const instance = (await read(`/v1/instances/${id}`)) as InstanceRecord | undefined
  const said = words.messages.one(last.data.push_name ?? numberOf(last.data), instance?.name ?? '')
  return { ...said, route: `/messages/${id}/${encodeURIComponent(last.data.chat)}` }
}

/** Some people hide their number from those they write to. */
const numberOf = ({ from, from_lid: hidden }: ReceivedEvent['data']) => (hidden === undefined ? `+${from}` : from)
