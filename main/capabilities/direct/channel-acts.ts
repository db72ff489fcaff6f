import { ApiError } from '../../contract/errors.ts'
import type { Channel, ChannelPost } from '../../engines/direct.ts'
import { contentOf } from '../../kernel/file-content.ts'
import type { ActContext, Acts, PostType, Result } from './act-context.ts'
import type { ActionBody } from './contract/actions.ts'
import { fieldsOf } from './fields.ts'

/** Channels. */
export const CHANNEL_ACTS: Acts = {
  async 'channel/list'({ instance, body, engine }) {
    fieldsOf('channel/list', body, [])
    return { channels: (await engine('channels')(instance)).map(toChannel) }
  },
  async 'channel/follow'({ instance, body, engine }) {
    const { channel_id: id, link } = fieldsOf('channel/follow', body, [], ['channel_id', 'link'])
    if ((id === undefined) === (link === undefined))
      throw new ApiError('validation_error', 'channel/follow needs either channel_id or link.')
    const key = id === undefined ? { invite: channelCodeOf(link ?? '') } : { id }
    return { channel: toChannel(await engine('followChannel')(instance, key)) }
  },
  async 'channel/unfollow'({ instance, body, engine }) {
    const { channel_id } = fieldsOf('channel/unfollow', body, ['channel_id'])
    await engine('unfollowChannel')(instance, channel_id)
    return { channel_id, followed: false }
  },
  async 'channel/post'({ instance, body, engine, file }) {
    const { channel_id, ...wanted } = fieldsOf('channel/post', body, ['channel_id'], POST_FIELDS)
    const post = postIn(wanted)
    const postToChannel = engine('postToChannel')
    const written = 'text' in post ? post : await fileOf(post, file)
    const { engineMessageId } = await postToChannel(instance, channel_id, written)
    return { channel_id, posted: true, message_id: engineMessageId }
  },
}

const POST_FIELDS = ['text', 'media_url', 'media_type', 'caption'] as const

interface FilePost {
  readonly url: string
  readonly type: PostType
  readonly caption: string | null
}

/** @throws ApiError validation_error unless the body has a text, an image or a video. */
function postIn(wanted: Pick<ActionBody, (typeof POST_FIELDS)[number]>): { readonly text: string } | FilePost {
  const { text, media_url: url, media_type: type, caption } = wanted
  if (text !== undefined && (url ?? type ?? caption) === undefined) return { text }
  if (text !== undefined || url === undefined)
    throw new ApiError('validation_error', 'channel/post needs either text, or media_url with media_type.')
  if (type !== 'image' && type !== 'video')
    throw new ApiError('validation_error', 'media_type must be image or video: other files cannot be posted.')
  return { url, type, caption: caption ?? null }
}

async function fileOf({ url, type, caption }: FilePost, file: ActContext['file']): Promise<ChannelPost> {
  const { mimeType, bytes } = await file(url, type)
  return { mediaType: type, mimeType, content: contentOf(bytes), caption }
}

const CHANNEL_LINK = /^https:\/\/(?:(?:www\.)?whatsapp\.com\/channel|channel\.sandbox)\/([A-Za-z0-9]{8,64})(?:\?.*)?$/

function channelCodeOf(link: string): string {
  const code = CHANNEL_LINK.exec(link)?.[1]
  if (code !== undefined) return code
  throw new ApiError(
    'validation_error',
    'link must be the link of a channel such as https://whatsapp.com/channel/CODE.',
  )
}

const toChannel = ({ id: channel_id, ...others }: Channel): Result => ({ channel_id, ...others })
