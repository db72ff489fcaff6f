import type { MediaType } from '../../../main/contract/shapes.ts'
import type { ChatMessage } from './records.ts'

export type MediaKind = 'image' | 'video' | 'audio' | 'file'

/** How the file of a message is shown, based on the message type and the type of the file. */
export function mediaKind({ type, media }: Pick<ChatMessage, 'type' | 'media'>): MediaKind | undefined {
  if (media === null) return undefined
  const [kind] = media.mime_type.split('/')
  if (type === 'image' || type === 'sticker' || (type !== 'document' && kind === 'image')) return 'image'
  if (type === 'video' || type === 'audio') return type
  return 'file'
}

/** The window loads nothing from foreign servers, so only files that the service itself provides are shown. */
export const isOwnUrl = (url: string | null): url is string =>
  url !== null && (/^\/(?!\/)/.test(url) || url.startsWith('data:image/') || url.startsWith('blob:'))

/** The likely type of the file at a URL, based on its extension. */
export function typeOfUrl(url: string): MediaType | undefined {
  const [, ending = ''] = /\.([a-z0-9]+)(?:[?#].*)?$/i.exec(url) ?? []
  if (/^(png|jpe?g|webp|gif)$/i.test(ending)) return 'image'
  if (/^(mp4|3gp|mov)$/i.test(ending)) return 'video'
  if (/^(ogg|opus|mp3|m4a|aac|amr)$/i.test(ending)) return 'audio'
  return ending === '' ? undefined : 'document'
}
