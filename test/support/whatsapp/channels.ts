import { proto } from 'baileys'
import type { Cdn } from './media.ts'
import { bytesIn, child, seconds, stanza, type Stanza } from './stanza.ts'

interface Post {
  readonly id: string
  /** The text, or the caption of a file. */
  readonly text: string
  readonly kind?: 'image' | 'video'
  readonly mimeType?: string
  readonly file?: Buffer
}

/** A channel. The posts of its admins are shown to all followers and are not encrypted. */
export interface Channel {
  /** The digits without `@newsletter`. */
  readonly id: string
  readonly invite: string
  /** Phone numbers; the first one is the owner. */
  readonly admins: readonly string[]
  readonly followers: readonly string[]
  /** The posts that linked devices of the admins sent. */
  readonly posts: readonly Post[]
  /** The owner deletes the channel. */
  remove(): void
}

export interface Channels {
  create(name: string, admins: readonly string[], description?: string): Channel
  /** Answers a numbered query. @returns undefined if the query is not about channels. */
  answer(number: string, query: Stanza): object | undefined
  /** Accepts a post from a device. */
  take(number: string, node: Stanza): Stanza
}

interface Place extends Channel {
  readonly name: string
  readonly description: string
  readonly createdAt: number
  readonly following: Set<string>
  readonly posted: Post[]
}

const QUERIES: Readonly<Record<string, 'list' | 'info' | 'follow' | 'unfollow'>> = {
  '6388546374527196': 'list',
  '6563316087068696': 'info',
  '9926858900719341': 'follow',
  '6392786840836363': 'unfollow',
}

const failed = (code: number, message: string) => ({ errors: [{ message, extensions: { error_code: code } }] })

export function createChannels(cdn: Pick<Cdn, 'fetch' | 'placeOf'>): Channels {
  const places = new Map<string, Place>()
  let lastId = 120_363_400_000_000_000n

  const find = (jid: unknown) => places.get(String(jid).replace('@newsletter', ''))
  const roleOf = ({ admins, following }: Place, number: string) => {
    if (admins[0] === number) return 'OWNER'
    if (admins.includes(number)) return 'ADMIN'
    return following.has(number) ? 'SUBSCRIBER' : 'GUEST'
  }
  /** In the format of whatsmeow's NewsletterMetadata. */
  const describe = (place: Place, number: string | null) => ({
    id: `${place.id}@newsletter`,
    state: { type: 'ACTIVE' },
    thread_metadata: {
      creation_time: String(place.createdAt),
      invite: place.invite,
      name: { text: place.name, id: '1', update_time: '1' },
      description: { text: place.description, id: '1', update_time: '1' },
      subscribers_count: String(place.following.size),
      verification: 'UNVERIFIED',
    },
    viewer_metadata: number === null ? null : { mute: 'OFF', role: roleOf(place, number) },
  })

  function answerInfo(number: string, { input }: { input?: { key?: unknown; type?: unknown } }) {
    const isInvite = input?.type === 'INVITE'
    if (!isInvite && input?.type !== 'JID') return failed(400, 'Bad Request')
    const place = isInvite ? [...places.values()].find(({ invite }) => invite === input.key) : find(input.key)
    if (place === undefined) return failed(404, 'Not Found')
    return { data: { xwa2_newsletter: describe(place, isInvite ? null : number) } }
  }

  function change(number: string, { newsletter_id: jid }: { newsletter_id?: unknown }, isFollowing: boolean) {
    const place = find(jid)
    if (place === undefined) return failed(404, 'Not Found')
    if (!isFollowing && place.admins.includes(number)) return failed(403, 'Forbidden')
    if (isFollowing) place.following.add(number)
    else place.following.delete(number)
    const state = { id: jid, state: { type: 'ACTIVE' } }
    return { data: isFollowing ? { xwa2_newsletter_join_v2: state } : { xwa2_newsletter_leave_v2: state } }
  }

  return {
    create(name, admins, description = '') {
      const id = String((lastId += 11n))
      const following = new Set(admins)
      const posted: Post[] = []
      const place: Place = {
        ...{ id, name, description, admins, following, posted, posts: posted, createdAt: seconds() },
        invite: `0029Va${id.slice(-8)}`,
        get followers() {
          return [...following]
        },
        remove: () => void places.delete(id),
      }
      places.set(id, place)
      return place
    },
    answer(number, query) {
      const kind = QUERIES[query.attrs['query_id'] ?? '']
      if (kind === undefined) return undefined
      const { variables = {} } = JSON.parse(bytesIn(query).toString()) as { variables?: Record<string, unknown> }
      const mine = () => [...places.values()].filter(({ following }) => following.has(number))
      if (kind === 'list')
        return { data: { xwa2_newsletter_subscribed: mine().map((place) => describe(place, number)) } }
      return kind === 'info' ? answerInfo(number, variables) : change(number, variables, kind === 'follow')
    },
    take(number, node) {
      const { id = '', to = '', type } = node.attrs
      const plain = child(node, 'plaintext')
      const place = find(to)
      const ack = (error?: number) =>
        stanza('ack', { class: 'message', id, from: to, t: seconds(), error, ...(error ? {} : { server_id: 100 }) })
      if (place === undefined) return ack(404)
      if (!place.admins.includes(number)) return ack(403)
      // Followers could not read encrypted or padded content.
      if (plain === undefined || child(node, 'enc') !== undefined) return ack(400)
      if (type === 'media') {
        const post = fileIn(node, plain, cdn)
        if (post === undefined) return ack(400)
        if (!place.posted.some((one) => one.id === id)) place.posted.push({ id, ...post })
        return ack()
      }
      if (type !== 'text' || node.attrs['media_id'] !== undefined) return ack(400)
      const { conversation, extendedTextMessage } = proto.Message.decode(bytesIn(plain))
      const text = conversation ?? extendedTextMessage?.text ?? ''
      if (text === '') return ack(400)
      if (!place.posted.some((one) => one.id === id)) place.posted.push({ id, text })
      return ack()
    },
  }
}

/** The file of a post, which is stored unencrypted. References to encrypted files or to other uploads are refused. */
function fileIn(node: Stanza, plain: Stanza, cdn: Pick<Cdn, 'fetch' | 'placeOf'>): Omit<Post, 'id'> | undefined {
  const { imageMessage, videoMessage } = proto.Message.decode(bytesIn(plain))
  const kind = imageMessage ? 'image' : 'video'
  const file = imageMessage ?? videoMessage
  if (!file || plain.attrs['mediatype'] !== kind) return undefined
  if (file.mediaKey?.length || file.fileEncSha256?.length) return undefined
  const place = cdn.placeOf(node.attrs['media_id'] ?? '')
  if (place === undefined || file.directPath !== place) return undefined
  const { directPath, fileSha256 } = file
  const reference = { directPath, fileSha256, fileEncSha256: null }
  return { text: file.caption ?? '', kind, mimeType: file.mimetype ?? '', file: cdn.fetch(kind, reference) }
}
