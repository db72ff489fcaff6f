import { ApiError } from '../../contract/errors.ts'
import type { MessageContent } from '../../contract/message-content.ts'
import { LIMITS } from '../../contract/limits.ts'
import { MEDIA_TYPES, type MediaType, type Source } from '../../contract/shapes.ts'
import { shownText } from '../../engines/shown-text.ts'
import { bytesOf } from '../../kernel/file-content.ts'
import { plainText } from '../../kernel/markup/index.ts'
import { BridgeError, type CrmFile, type CrmMessage, type FileRef } from './bridge.ts'
import type { CrmDeps } from './deps.ts'
import type { CrmLink } from './links.ts'

type SaidDeps = Pick<CrmDeps, 'messages' | 'instances'>

/** Media as the messages room stores it. */
interface StoredMedia {
  readonly id?: string
  readonly url?: string
  readonly mediaId?: string
  readonly mime_type: string
  readonly size: number
  readonly filename: string | null
  readonly pending?: boolean
}

const LARGEST = LIMITS.crmAttachmentMegabytes * 1024 * 1024
const LOOK_AGAIN_MS = 20_000

/** Converts a message for a CRM: text and file. */
export function createSaid({ messages, instances }: SaidDeps) {
  async function receivedFile(link: CrmLink, mediaId: string) {
    const subject = await instances.subject(link.accountId, link.instanceId)
    const read = subject && instances.engineFor(subject).media
    const file = subject && read ? await read(subject, mediaId) : null
    return file === null
      ? null
      : { mimeType: file.mimeType, filename: file.filename, bytes: await bytesOf(file.content) }
  }

  async function sentFile({ accountId }: CrmLink, { url, mediaId, filename }: StoredMedia, type: string) {
    if (mediaId !== undefined) {
      const file = await messages.uploads.get(accountId, mediaId)
      return { mimeType: file.mimeType, filename: filename ?? file.name, bytes: await bytesOf(file) }
    }
    if (url === undefined) return null
    const file = await messages.fetchFile(accountId, url, mediaTypeOf(type))
    return { ...file, filename }
  }

  async function fileOf(link: CrmLink, media: StoredMedia, type: string, mayWait: boolean): Promise<CrmFile | null> {
    if (media.size > LARGEST) return null
    try {
      const found = media.id === undefined ? await sentFile(link, media, type) : await receivedFile(link, media.id)
      if (found !== null) return { ...found, filename: found.filename ?? nameFor(found.mimeType, type) }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
    }
    // The phone may not have uploaded the file yet.
    if (!mayWait || media.pending !== true) return null
    const fault = { kind: 'later', waitMs: LOOK_AGAIN_MS, code: 'attachment_unavailable' } as const
    throw new BridgeError(fault, 'A file is not downloaded yet.')
  }

  /**
   * @param mayWait whether the message may wait for its file; otherwise it is copied without it.
   * @returns undefined if the message no longer exists.
   */
  return async (link: CrmLink, messageId: string, mayWait: boolean): Promise<CrmMessage | undefined> => {
    const row = await messages.said(link.instanceId, messageId)
    if (row === undefined) return undefined
    const media = row.media === null || row.deletedAtMs !== null ? null : (JSON.parse(row.media) as StoredMedia)
    const content = row.content === null ? null : (JSON.parse(row.content) as MessageContent)
    return {
      id: row.id,
      direction: row.direction === 'in' ? 'inbound' : 'outbound',
      type: row.type,
      text: row.deletedAtMs === null ? textOf(row.direction, writtenText(row), content) : '',
      source: row.source,
      atMs: row.createdAtMs,
      file: media === null ? null : toRef(media),
      readFile: async () => (media === null ? null : fileOf(link, media, row.type, mayWait)),
    }
  }
}

const toRef = ({ id, mime_type: mimeType, filename, size }: StoredMedia): FileRef => ({
  ...{ mediaId: id ?? null, mimeType, filename, size },
})

const mediaTypeOf = (type: string): MediaType =>
  (MEDIA_TYPES as readonly string[]).includes(type) ? (type as MediaType) : 'document'

const ENDINGS: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'video/mp4': 'mp4',
  'audio/ogg': 'ogg',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'application/pdf': 'pdf',
}

const nameFor = (mimeType: string, type: string) => {
  const ending = ENDINGS[mimeType.split(';')[0] ?? '']
  return ending === undefined ? type : `${type}.${ending}`
}

/** CRMs do not render markup, so replies of agents are copied as plain text. Other messages are copied unchanged. */
const writtenText = ({ source, text }: { readonly source: Source | null; readonly text: string }): string =>
  source === 'ai' ? plainText(text) : text

/** Describes content that is not text in words, because a CRM shows only text and files. */
function textOf(direction: 'in' | 'out' | 'phone', text: string, content: MessageContent | null): string {
  if (content?.type === 'location') {
    const { latitude, longitude } = content
    return [text, `https://maps.google.com/?q=${latitude},${longitude}`].filter((line) => line !== '').join('\n')
  }
  if (content?.type === 'contacts')
    return content.contacts.map(({ name, numbers }) => [name, ...numbers].join(' ')).join('\n')
  if (content?.type === 'poll') return [content.question, ...content.options.map((option) => `- ${option}`)].join('\n')
  return direction === 'in' ? text : shownText(text, content)
}
