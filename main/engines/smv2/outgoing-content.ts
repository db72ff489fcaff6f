import type { proto } from 'baileys'
import type { ContactCard, Outgoing } from '../engine.ts'
import type { Library } from './library.ts'
import type { FileKeys } from './media-cipher.ts'
import type { DescribedFile } from './thumbnails.ts'

/** A file where the network keeps it. */
interface PlacedFile extends FileKeys {
  readonly url: string
  readonly directPath: string
  readonly facts: DescribedFile
}

type Media = Extract<Outgoing, { kind: 'media' }>

/** What goes around a message besides its content. */
export interface Wrapping {
  readonly additionalAttributes?: Readonly<Record<string, string>>
  readonly additionalNodes?: { tag: string; attrs: Record<string, string> }[]
  /** Who gets a status. */
  readonly statusJidList?: readonly string[]
}

/** What a message is sent with, found out before. */
export interface Enclosed {
  /** For media only. */
  readonly file: PlacedFile | null
  /** What it answers, and whom it mentions; may be empty. */
  readonly context: proto.IContextInfo
}

type Sendable = Exclude<Outgoing, { kind: 'cloud_api' | 'forward' }>

/** A message as the network writes it. */
export async function contentOf(
  library: Library,
  out: Sendable,
  { file, context: contextInfo }: Enclosed,
  nowMs: number,
): Promise<proto.IMessage> {
  return withContext(library, await plainContent(library, out, file, nowMs), contextInfo)
}

/** Each kind has a place of its own for it. */
export function withContext(
  library: Library,
  content: proto.IMessage,
  contextInfo: proto.IContextInfo,
): proto.IMessage {
  const part = library.getContentType(content)
  if (part === undefined || Object.keys(contextInfo).length === 0) return content
  return { ...content, [part]: { ...(content[part] as object), contextInfo } }
}

async function plainContent(
  library: Library,
  out: Sendable,
  file: PlacedFile | null,
  nowMs: number,
): Promise<proto.IMessage> {
  switch (out.kind) {
    case 'text':
      return { extendedTextMessage: { text: out.text, ...cardOf(out) } }
    case 'media':
      if (file === null) throw new Error('a file that was not uploaded')
      return mediaOf(out, file, nowMs)
    case 'location': {
      const { latitude: degreesLatitude, longitude: degreesLongitude, name, address } = out
      return { locationMessage: { degreesLatitude, degreesLongitude, name, address } }
    }
    case 'contact':
      return contactsOf([out, ...(out.others ?? [])].map((card) => ({ displayName: card.name, vcard: vcardOf(card) })))
    case 'poll': {
      const { question: name, options: values, maxChoices: selectableCount } = out
      const poll = { name, values: [...values], selectableCount }
      // The library makes the secret that the votes will be encrypted with.
      return library.generateWAMessageContent({ poll }, { upload: noUpload })
    }
  }
}

/** A poll is announced as one; nothing else needs a word around it. */
export function wrappingOf(out: Outgoing): Wrapping {
  return out.kind === 'poll' ? { additionalNodes: [{ tag: 'meta', attrs: { polltype: 'creation' } }] } : {}
}

function cardOf({ preview }: Extract<Outgoing, { kind: 'text' }>): proto.Message.IExtendedTextMessage {
  if (!preview) return {}
  const { url, title, description, picture } = preview
  return {
    matchedText: url,
    ...(title !== null && { title }),
    ...(description !== null && { description }),
    ...(picture && { jpegThumbnail: picture }),
  }
}

export function contactsOf(contacts: { readonly displayName: string; readonly vcard: string }[]): proto.IMessage {
  const [first] = contacts
  if (contacts.length === 1 && first) return { contactMessage: first }
  return { contactsArrayMessage: { displayName: `${contacts.length} contacts`, contacts } }
}

function mediaOf(
  { mediaType, mimeType, caption, filename, content, isGif = false, loudness }: Media,
  file: PlacedFile,
  nowMs: number,
) {
  const placed = {
    ...{ url: file.url, directPath: file.directPath, mediaKey: file.mediaKey, mimetype: mimeType },
    ...{ fileSha256: file.sha256, fileEncSha256: file.encryptedSha256, fileLength: content.size },
    mediaKeyTimestamp: Math.floor(nowMs / 1_000),
  }
  const { isVoice = false, isAnimated, waveform, seconds, thumbnail, pages, ...size } = file.facts
  const duration = seconds === undefined ? {} : { seconds }
  const picture = thumbnail === undefined ? {} : { jpegThumbnail: thumbnail }
  switch (mediaType) {
    case 'image':
      return { imageMessage: { ...placed, ...size, ...picture, caption } }
    case 'video':
      return {
        videoMessage: { ...placed, ...size, ...duration, ...picture, caption, ...(isGif && { gifPlayback: true }) },
      }
    case 'audio':
      // Opus in Ogg is what phones record: shown as a voice note; any other sound as a file.
      return {
        audioMessage: {
          ...placed,
          ...duration,
          ptt: isVoice,
          ...(isVoice && { mimetype: VOICE, waveform: loudness ?? waveform }),
        },
      }
    case 'document':
      return {
        documentMessage: {
          ...{ ...placed, ...picture, caption, fileName: filename ?? 'file', title: filename },
          ...(pages !== undefined && { pageCount: pages }),
        },
      }
    case 'sticker':
      return { stickerMessage: { ...placed, ...size, ...(isAnimated && { isAnimated }) } }
  }
}

/** Without the codec phones do not play it. */
const VOICE = 'audio/ogg; codecs=opus'

export function vcardOf({ name, number }: ContactCard): string {
  const text = name.replaceAll(/[\\;,]/g, (mark) => `\\${mark}`).replaceAll(/\r?\n/g, ' ')
  return [
    'BEGIN:VCARD',
    'VERSION:3.0',
    `FN:${text}`,
    `TEL;type=CELL;type=VOICE;waid=${number}:+${number}`,
    'END:VCARD',
  ].join('\n')
}

const noUpload = () => Promise.reject(new Error('nothing of this kind is uploaded by the library'))
