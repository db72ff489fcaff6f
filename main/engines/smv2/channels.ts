import type { BinaryNode, proto } from 'baileys'
import { Type, type Static } from 'typebox'
import { Check } from 'typebox/value'
import { ApiError } from '../../contract/errors.ts'
import { managesChannel, noSuchChannel, notChannelAdmin } from '../channel-rules.ts'
import type { Channel, ChannelActs, ChannelKey, ChannelPost, DirectActs } from '../direct.ts'
import type { EngineInstance } from '../engine.ts'
import { isChannelJid } from './jid.ts'
import type { OpenLink } from './link.ts'
import type { MediaTransfer } from './media-transfer.ts'
import { askMex, MexRefusal } from './mex.ts'
import type { DescribeFile } from './thumbnails.ts'

interface ChannelsNeeds {
  /** @throws ApiError not_ready */
  readonly openOf: (instance: EngineInstance) => OpenLink
  /** At the pace of messages, with the id of the new message. @throws ApiError rate_limited */
  readonly inTurn: <T>(instance: EngineInstance, chat: string, act: (engineId: string) => Promise<T>) => Promise<T>
  readonly transferOf: (instance: EngineInstance) => Pick<MediaTransfer, 'publish'>
  readonly describeFile: DescribeFile
}

type PostedFile = Exclude<ChannelPost, { text: string }>

/** Numbers of the queries, as whatsmeow had them in August 2026. */
const LIST = '6388546374527196'
const INFO = '6563316087068696'
const FOLLOW = '9926858900719341'
const UNFOLLOW = '6392786840836363'

/** Shorter than the time that the caller waits. */
const ACK_MS = 15_000
/** The rest of the caller's waiting time is for the post itself. */
const UPLOAD_MS = 12_000
const LINK = 'https://whatsapp.com/channel/'

const Text = Type.Object({ text: Type.String() })
const Metadata = Type.Object({
  id: Type.String(),
  thread_metadata: Type.Object({
    name: Text,
    description: Type.Optional(Type.Union([Text, Type.Null()])),
    invite: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    subscribers_count: Type.Optional(Type.Union([Type.String(), Type.Number(), Type.Null()])),
  }),
  viewer_metadata: Type.Optional(
    Type.Union([Type.Object({ role: Type.Optional(Type.Union([Type.String(), Type.Null()])) }), Type.Null()]),
  ),
})
const Followed = Type.Object({ xwa2_newsletter_subscribed: Type.Array(Metadata) })
const Found = Type.Object({ xwa2_newsletter: Metadata })

const ROLES: Readonly<Record<string, Channel['role']>> = { owner: 'owner', admin: 'admin', subscriber: 'follower' }

/** Channels of the live network: the ones a line follows, and its own, which it posts in. */
export function createChannels({
  openOf,
  inTurn,
  transferOf,
  describeFile,
}: ChannelsNeeds): Pick<DirectActs, ChannelActs> {
  async function find(open: OpenLink, key: ChannelKey): Promise<Channel> {
    const input = 'id' in key ? { key: key.id, type: 'JID' } : { key: key.invite, type: 'INVITE' }
    const asked = askMex(open, INFO, {
      ...{ fetch_creation_time: true, fetch_full_image: false, fetch_viewer_metadata: 'id' in key, input },
    })
    const data = await withRefusals(asked)
    if (!Check(Found, data)) throw new Error('the network did not describe a channel')
    return toChannel(data.xwa2_newsletter)
  }

  /** Uploads a file, which has to be done before the post is sent. @throws ApiError upstream_unavailable */
  async function uploaded(instance: EngineInstance, { mediaType: kind, mimeType, content, caption }: PostedFile) {
    const signal = AbortSignal.timeout(UPLOAD_MS)
    const describing = describeFile(instance.accountId, kind, mimeType, content)
    // If the upload fails first, nothing else handles a failure of this.
    describing.catch(() => {})
    const place = await transferOf(instance).publish(openOf(instance), instance.accountId, kind, content, signal)
    if (place === undefined) throw notUploaded()
    const { width, height, seconds, thumbnail } = await describing
    const file = {
      ...{ url: place.url, directPath: place.directPath, mimetype: mimeType, caption },
      ...{ fileSha256: Buffer.from(content.hash, 'hex'), fileLength: content.size },
      ...(width !== undefined && { width, height }),
      ...(thumbnail !== undefined && { jpegThumbnail: thumbnail }),
    }
    const length = seconds === undefined ? {} : { seconds }
    const message = kind === 'image' ? { imageMessage: file } : { videoMessage: { ...file, ...length } }
    return { message, type: 'media', upload: { handle: place.handle, kind } } satisfies Written
  }

  return {
    async channels(instance) {
      const data = await withRefusals(askMex(openOf(instance), LIST, {}))
      if (!Check(Followed, data)) throw new Error('the network did not list the channels')
      return data.xwa2_newsletter_subscribed.map(toChannel)
    },
    async followChannel(instance, key) {
      const open = openOf(instance)
      const { id } = await find(open, key)
      // Of a channel that is looked up by its link, the network does not say whether this account follows it.
      const before = await find(open, { id })
      if (before.role !== 'guest') return before
      await withRefusals(askMex(open, FOLLOW, { newsletter_id: id }))
      return { ...(await find(open, { id })), role: 'follower' }
    },
    async unfollowChannel(instance, id) {
      const open = openOf(instance)
      const { role } = await find(open, { id })
      if (role === 'owner' || role === 'admin') throw managesChannel()
      if (role === 'follower') await withRefusals(askMex(open, UNFOLLOW, { newsletter_id: id }))
    },
    async postToChannel(instance, id, wanted) {
      const { role } = await find(openOf(instance), { id })
      if (role !== 'owner' && role !== 'admin') throw notChannelAdmin()
      const written = 'text' in wanted ? textOf(wanted.text) : await uploaded(instance, wanted)
      const engineMessageId = await inTurn(instance, id, async (engineId) => {
        await post(openOf(instance), id, engineId, written)
        return engineId
      })
      return { engineMessageId }
    },
  }
}

interface Written {
  readonly message: proto.IMessage
  readonly type: 'text' | 'media'
  /** What the network knows the upload by, and what kind of file it is. */
  readonly upload: { readonly handle: string; readonly kind: string } | null
}

const textOf = (conversation: string): Written => ({ message: { conversation }, type: 'text', upload: null })

/** Posts are not encrypted, and have no padding. */
async function post(
  { library, sock }: OpenLink,
  to: string,
  id: string,
  { message, type, upload }: Written,
): Promise<void> {
  const content = library.proto.Message.encode(message).finish()
  const node: BinaryNode = {
    tag: 'message',
    attrs: { to, id, type, ...(upload && { media_id: upload.handle }) },
    content: [{ tag: 'plaintext', attrs: upload ? { mediatype: upload.kind } : {}, content }],
  }
  // The library resolves with undefined if the network does not answer; its type does not say so.
  const ack = (await sock.query(node, ACK_MS)) as BinaryNode | undefined
  if (ack === undefined) throw new Error('the network did not confirm a post')
  const { error } = ack.attrs
  if (error !== undefined) throw refused(Number(error))
}

const notUploaded = () =>
  new ApiError('upstream_unavailable', 'WhatsApp did not accept the file, so nothing was posted. Try again.')

async function withRefusals<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof MexRefusal) throw refused(error.code ?? 0)
    throw error
  }
}

function refused(code: number): ApiError {
  if (code === 404 || code === 410) return noSuchChannel()
  if (code === 401 || code === 403) return notChannelAdmin()
  return new ApiError('invalid_state', `WhatsApp refused this (${code}).`)
}

function toChannel({ id, thread_metadata: thread, viewer_metadata: viewer }: Static<typeof Metadata>): Channel {
  if (!isChannelJid(id)) throw new Error('the network named a channel by something else')
  const followers = Number(thread.subscribers_count ?? NaN)
  return {
    id,
    name: thread.name.text,
    description: thread.description?.text || null,
    role: ROLES[viewer?.role?.toLowerCase() ?? ''] ?? 'guest',
    followers: Number.isInteger(followers) ? followers : null,
    link: thread.invite ? `${LINK}${thread.invite}` : null,
  }
}
